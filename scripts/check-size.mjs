// Bundles what an edge application imports of the built packages, and checks its size, gzipped. Needs a build.
// `npm run bench -- size` shows what each feature adds.
import { bundleOf, EDGE, MOST_EDGE_BYTES, USUAL } from '../bench/src/size/bundle.ts'
import { finish } from './workspace.mjs'

const { gzippedBytes, files } = await bundleOf(USUAL, EDGE)
console.log(`edge bundle of @rail/hono: ${gzippedBytes} bytes gzipped, at most ${MOST_EDGE_BYTES}`)
finish('size', [
  ...(gzippedBytes > MOST_EDGE_BYTES
    ? [
        `edge bundle: expected at most ${MOST_EDGE_BYTES} bytes, got ${gzippedBytes}. Run npm run bench -- size, and move what few need into an export.`,
      ]
    : []),
  ...files
    .filter((file) => file !== '<stdin>' && !/^packages\/(core|hono)\/dist\/edge\//.test(file))
    .map((file) => `edge bundle: expected files of dist/edge, got ${file}. Check the conditions in package.json.`),
])
