import { randomBytes, randomInt } from 'node:crypto'

/** Ticks of the RTP clock of every video payload. */
export const clockRate = 90_000

/** Seconds between the epochs of NTP (1900) and Unix (1970). */
const ntpEpochSeconds = 2_208_988_800

/** One RTP stream to one receiver: sequence, time line, counters (RFC 3550). */
export class RtpStream {
  readonly ssrc = randomBytes(4)
  #sequence = randomInt(2 ** 16)
  readonly #timeOffset = randomInt(2 ** 32)
  #packets = 0
  #octets = 0

  /** Sequence number that the next packet will have. */
  get nextSequence(): number {
    return this.#sequence
  }

  /** RTP time of a moment on the camera's clock, counted in ticks since the camera started. */
  timestamp(clockTicks: number): number {
    return (this.#timeOffset + clockTicks) % 2 ** 32
  }

  packet(payload: Uint8Array, payloadType: number, clockTicks: number, marker: boolean): Buffer {
    const packet = Buffer.allocUnsafe(12 + payload.length)
    packet[0] = 0x80
    packet[1] = payloadType | (marker ? 0x80 : 0)
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(this.timestamp(clockTicks), 4)
    packet.set(this.ssrc, 8)
    packet.set(payload, 12)
    this.#sequence = (this.#sequence + 1) % 2 ** 16
    this.#packets++
    this.#octets += payload.length
    return packet
  }

  /** RTCP sender report: ties the RTP time line to wall-clock time. */
  senderReport(epochMs: number, clockTicks: number): Buffer {
    const report = Buffer.alloc(28)
    report[0] = 0x80
    report[1] = 200
    report.writeUInt16BE(report.length / 4 - 1, 2)
    report.set(this.ssrc, 4)
    report.writeUInt32BE(Math.floor(epochMs / 1000) + ntpEpochSeconds, 8)
    report.writeUInt32BE(Math.floor(((epochMs % 1000) / 1000) * 2 ** 32), 12)
    report.writeUInt32BE(this.timestamp(clockTicks), 16)
    report.writeUInt32BE(this.#packets % 2 ** 32, 20)
    report.writeUInt32BE(this.#octets % 2 ** 32, 24)
    return report
  }
}
