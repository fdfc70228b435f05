module.exports = {
  plugins: {
    'postcss-preset-mantine': {},
    'postcss-simple-vars': {
      variables: {
        'mantine-breakpoint-xs': '30em',
        'mantine-breakpoint-sm': '37.5em',
        'mantine-breakpoint-md': '62em',
        'mantine-breakpoint-lg': '73.75em',
        'mantine-breakpoint-xl': '90em',
      },
    },
  },
}
