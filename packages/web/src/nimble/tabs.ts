/** Parts of an edge server's page, as its address names them. */
export const edgeTabs = ['overview', 'streams', 'pipelines'] as const
export type EdgeTab = (typeof edgeTabs)[number]
