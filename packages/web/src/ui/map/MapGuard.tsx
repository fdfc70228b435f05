import { Component, type ReactNode } from 'react'

/** A browser that cannot draw maps still has what stands beside the map. */
export class MapGuard extends Component<
  { fallback: ReactNode; onFail?: () => void; children: ReactNode },
  { hasFailed: boolean }
> {
  override state = { hasFailed: false }
  static getDerivedStateFromError = () => ({ hasFailed: true })
  override componentDidCatch(error: unknown): void {
    console.warn('The map cannot be shown:', error)
    this.props.onFail?.()
  }
  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
