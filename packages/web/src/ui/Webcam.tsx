import { Alert, Button, Group } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Wide enough for a site's face, and far below what may be sent. */
const widest = 1280
const quality = 0.85

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

  const take = () => {
    const shown = video.current
    if (!shown) return
    const canvas = document.createElement('canvas')
    const scale = Math.min(1, widest / shown.videoWidth)
    canvas.width = Math.round(shown.videoWidth * scale)
    canvas.height = Math.round(shown.videoHeight * scale)
    canvas.getContext('2d')?.drawImage(shown, 0, 0, canvas.width, canvas.height)
    canvas.toBlob(
      (blob) => {
        if (blob) onTaken(new File([blob], 'webcam.jpg', { type: 'image/jpeg' }))
      },
      'image/jpeg',
      quality,
    )
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
        <Button data-autofocus disabled={!isOn} onClick={take}>
          {t('image.take')}
        </Button>
      </Group>
    </>
  )
}
