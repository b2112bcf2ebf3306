import { readFileSync } from 'node:fs'
import { library } from '../../tsup.base.js'

/** Puts the text of `script.lua` where the sources read the file. Lines that are only a comment are left out. */
const inlineScript = {
  name: 'inline-script',
  setup(build: { onLoad(options: { filter: RegExp }, load: (file: { path: string }) => { contents: string }): void }) {
    build.onLoad({ filter: /[\\/]script\.ts$/ }, ({ path }) => {
      const lines = readFileSync(path.replace(/\.ts$/, '.lua'), 'utf8').split('\n')
      const text = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('--'))
      return { contents: `export const SCRIPT = ${JSON.stringify(text.join('\n'))}` }
    })
  },
}

export default library({ esbuildPlugins: [inlineScript] })
