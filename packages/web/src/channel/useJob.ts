import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient, refresh } from '../app/client.ts'
import { useTopic } from '../live.ts'

const pollMs = 1000

/** The two jobs that are done with a channel; the newest counts. */
export function useChannelJob(channelId: string) {
  const [jobId, setJobId] = useState<string | null>(null)
  const begun = { onSuccess: ({ job_id }: { job_id: string }) => setJobId(job_id) }
  const revive = useMutation({ ...api.channel.revive.mutation(), ...begun })
  // A GET, begun by hand.
  const troubleshoot = useMutation({
    mutationFn: (force: boolean) =>
      queryClient.fetchQuery({ ...api.channel.troubleshoot.query({ channel_id: channelId, force }), staleTime: 0 }),
    ...begun,
  })
  const job = useQuery({
    ...api.job.get.query({ job_id: jobId ?? '' }),
    enabled: jobId !== null,
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? false : pollMs),
  })
  useTopic('job', ({ type: _, ...message }) => {
    if (message.job_id !== jobId) return
    queryClient.setQueryData(api.job.get.key({ job_id: message.job_id }), message)
    if (isOver(message.state)) refresh('channel')
  })
  const isBusy = revive.isPending || troubleshoot.isPending || (jobId !== null && !isOver(job.data?.state))
  return {
    job: job.data ?? null,
    isBusy,
    revive: (force = false) => revive.mutate({ channel_id: channelId, force }),
    troubleshoot: () => troubleshoot.mutate(true),
  }
}

const isOver = (state: string | undefined): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled'
