// Prints a CSV of so many links, to try a long import: npm run make-links -- 40000 > links.csv
const count = Number(process.argv[2] ?? 40_000)
const lines = Array.from(
  { length: count },
  (_, index) => `https://example.org/articles/${index + 1},article-${index + 1}`,
)
process.stdout.write(`url,slug\n${lines.join('\n')}\n`)
