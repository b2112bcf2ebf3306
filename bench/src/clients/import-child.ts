import { importTask } from './import-task.js'

// The entry of a process with one client and its server: prints how the import went.
const [client = '', rows, atOnce] = process.argv.slice(2)
console.log(JSON.stringify(await importTask({ client, rows: Number(rows), atOnce: Number(atOnce) })))
process.exit(0)
