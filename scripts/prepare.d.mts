export const root: string
export function fail(sentence: string): never
export function prepare(): Promise<string>
export function progress(text: string): () => void
export function continueWith(node: string, script: string, args?: string[]): void
