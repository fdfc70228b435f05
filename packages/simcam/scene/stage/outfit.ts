/** Who walks through the scenes. */
export type Outfit = {
  top: string
  trousers: string
  skin?: string
  hair?: string
  shoes?: string
  /** Metres; 1.75 when left out. */
  height?: number
  longHair?: boolean
  coat?: boolean
  /** Of the colour of the trousers. */
  skirt?: boolean
  sleeves?: boolean
  /** High-visibility vest with reflecting bands. */
  vest?: string
  helmet?: string
  bag?: { side: -1 | 1; color: string }
  backpack?: string
  /** Looks at a telephone while standing. */
  phone?: boolean
}

export const outfits = {
  suit: { top: '#262c3a', trousers: '#23262e' },
  red: { top: '#8e2b2b', trousers: '#22304a' },
  green: { top: '#2f5540', trousers: '#3a332b' },
  grey: { top: '#4d5258', trousers: '#1d1f24', hair: '#5a5752' },
  plum: { top: '#5a2b52', trousers: '#1f2430', longHair: true, height: 1.66 },
  camelCoat: { top: '#7a5a38', trousers: '#20242b', coat: true, longHair: true, hair: '#4a2e1c', height: 1.68 },
  navy: { top: '#1f3558', trousers: '#3c3a36', height: 1.82 },
  teal: { top: '#1f5a63', trousers: '#26282c', sleeves: false, height: 1.72 },
  skirt: { top: '#5c2f38', trousers: '#22242b', skirt: true, longHair: true, height: 1.65 },
  yellowVest: { top: '#33404f', trousers: '#262c36', vest: '#b5cf2a', helmet: '#e8e8e4' },
  orangeVest: { top: '#2f3a45', trousers: '#2a2f3a', vest: '#e0692a', helmet: '#e3c02b', height: 1.8 },
  bareheadedVest: { top: '#3a3f46', trousers: '#32302c', vest: '#b5cf2a', hair: '#3a2a1c', height: 1.7 },
  blueOverall: { top: '#27456f', trousers: '#22354f', height: 1.76 },
} satisfies Record<string, Outfit>
