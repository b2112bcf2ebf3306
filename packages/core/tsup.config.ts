import { library } from '../../tsup.base.js'

export default library({
  target: 'es2022',
  // Puts constants in place: a bundle's top-level names are variables, which the engine loads and checks at each use.
  esbuildOptions: (options) => {
    options.minifySyntax = true
  },
})
