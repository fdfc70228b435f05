import { Button, Modal, NumberInput } from '@mantine/core'
import { type Channel, api as table } from '@sightline/contract'
import { IconUsers } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'

/** Puts right how many are inside. @param counted as it is shown now; undefined while that is not known */
export function SetOccupancy({ channel, counted }: { channel: Channel; counted: number | undefined }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <Button variant="default" leftSection={<IconUsers size={16} />} onClick={() => setIsOpen(true)}>
        {t('channel.occupancy.set')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t('channel.occupancy.title', { name: channel.channel_name })}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {isOpen && <OccupancyForm channelId={channel.channel_id} counted={counted} onDone={close} />}
      </Modal>
    </>
  )
}

type FormProps = { channelId: string; counted: number | undefined; onDone: () => void }

function OccupancyForm({ channelId, counted, onDone }: FormProps) {
  const { t } = useTranslation()
  const save = useMutation(api.channel.setOccupancy.mutation())
  const { field, frame, isSaving } = useDraftForm<{ occupancy: number | '' }>({
    name: `channel.occupancy.${channelId}`,
    initial: { occupancy: '' },
    schema: table.channel.setOccupancy.input,
    toInput: (values) => ({ ...values, channel_id: channelId }),
    // How many were inside a while ago is no draft for now.
    secrets: ['occupancy'],
    async submit({ occupancy }) {
      await save.mutateAsync({ channel_id: channelId, occupancy: Number(occupancy) })
      onDone()
    },
  })
  return (
    <Form {...frame}>
      <NumberInput
        label={t('channel.occupancy.inside')}
        description={
          counted === undefined
            ? t('channel.occupancy.unknown')
            : t('channel.occupancy.counted', { number: formatNumber(counted) })
        }
        withAsterisk
        data-autofocus
        allowDecimal={false}
        allowNegative={false}
        autoComplete="off"
        {...field('occupancy')}
      />
      <FormActions submitLabel={t('common.save')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}
