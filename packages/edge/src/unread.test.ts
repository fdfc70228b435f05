import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChannelState, linkConfig } from '@sightline/contract/edge'
import { expect, onTestFinished, test } from 'vitest'
import { createCameras } from './cameras.ts'
import { clipFiles } from './live/clip.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { keepingLog, testChannelId } from './testing/records.ts'

const id = '01890000-0000-7000-8000-0000000000a1'

test('a stream that is not understood is refused, and what counts on it with it; once it is understood both go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-unread-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const told: ChannelState[] = []
  const cameras = createCameras({
    pictures: await openMediaStore(join(folder, 'pictures'), pictureFiles, 1e8, () => undefined),
    clips: await openMediaStore(join(folder, 'clips'), clipFiles, 1e8, () => undefined),
    analysisFile: join(folder, 'analysis.json'),
    modelFolder: join(folder, 'models'),
    allow: () => [],
    tell: (news) => {
      if (news.type === 'channel.state') told.push(news)
    },
    onRecords: () => undefined,
    log: keepingLog(),
  })
  onTestFinished(() => cameras.stop())
  const apply = (version: number, role: string, channelVersion: unknown = 1) =>
    cameras.apply(
      linkConfig.parse({
        version,
        sources: [
          {
            ...{ source_id: id, device_id: id, version, name: 'Camera', address: 'rtsp://127.0.0.1/', rate: 25, role },
            ...{ username: null, password: null, proxy: null, endpoint_uuid: null },
          },
        ],
        channels: [
          {
            ...{
              channel_id: testChannelId,
              source_id: id,
              version: channelVersion,
              name: 'Door',
              usecase_key: 'pplcnt',
            },
            ...{ pipeline_elements: {}, zones: [], auto_recovery: false },
          },
        ],
      }),
    )
  const refused = { channel_id: testChannelId, version: 1, state: 'refused', cause: 'not_understood' }
  apply(1, 'spherical')
  await expect.poll(() => told.at(-1)).toMatchObject(refused)
  expect(cameras.state().channels).toMatchObject([refused])
  expect(cameras.state().sources).toMatchObject([{ source_id: id, state: 'refused', cause: 'not_understood' }])

  apply(2, 'both')
  expect(told.at(-1)).toMatchObject({ state: 'applied' })
  expect(cameras.state().channels).not.toMatchObject([refused])
  apply(3, 'spherical')
  expect(told.at(-1)).toMatchObject(refused)

  // Of a channel that is not understood itself not even the version need be.
  apply(4, 'both', '4.1')
  expect(told.at(-1)).toMatchObject({ ...refused, version: null })
  expect(cameras.state().channels).toMatchObject([{ ...refused, version: null }])
})
