import { Alert, Button, Group } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { jpegOf } from './shrink.ts'

/** Wide enough for a site's face, and far below what may be sent. */
const widest = 1280

/** One picture from the camera of this computer or phone. */
export function Webcam({ onTaken }: { onTaken: (file: File) => void }) {
  const { t } = useTranslation()
  const video = useRef<HTMLVideoElement>(null)
  const [isOn, setIsOn] = useState(false)
  const [fault, setFault] = useState<'refused' | 'missing' | null>(null)
  useEffect(() => {
    let stream: MediaStream | null = null
    let isGone = false
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    // A phone looks at the place, not at the person.
    navigator.mediaDevices.getUserMedia({ video: { width: { ideal: widest }, facingMode: 'environment' } }).then(
      (opened) => {
        stream = opened
        if (isGone) return stop()
        if (video.current) video.current.srcObject = opened
      },
      (error: DOMException) => setFault(error.name === 'NotAllowedError' ? 'refused' : 'missing'),
    )
    return () => {
      isGone = true
      stop()
    }
  }, [])

  const take = async () => {
    const shown = video.current
    const taken = shown && (await jpegOf(shown, shown.videoWidth, shown.videoHeight, widest))
    if (taken) onTaken(new File([taken], 'webcam.jpg', { type: 'image/jpeg' }))
  }
  if (fault)
    return (
      <Alert color="red" role="alert">
        {t(`image.webcamFault.${fault}`)}
      </Alert>
    )
  return (
    <>
      <video
        ref={video}
        autoPlay
        playsInline
        muted
        aria-label={t('image.webcam')}
        style={{ width: '100%', borderRadius: 8, background: '#000', aspectRatio: '16 / 9', objectFit: 'cover' }}
        onPlaying={() => setIsOn(true)}
      />
      <Group justify="flex-end" mt="md">
        <Button data-autofocus disabled={!isOn} onClick={() => void take()}>
          {t('image.take')}
        </Button>
      </Group>
    </>
  )
}
