import { clientsTable, measureClients } from './measure-clients.js'

console.log(clientsTable(await measureClients()))
