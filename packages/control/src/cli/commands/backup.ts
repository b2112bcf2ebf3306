import { existsSync } from 'node:fs'
import { backUp } from '../../store/backup.js'
import { type Command, textOf } from '../command.js'
import { checkData, reasonOf } from '../files.js'
import { CliError } from '../io.js'

/** `backup`: copies the database, also while the control plane runs. */
export const backup: Command = {
  usage: '<file>',
  summary: 'copy the database to a new file, also while the control plane runs',
  details: [
    'To restore it, stop the control plane, replace everything in the directory by it as control.db, and start.',
  ],
  local: true,
  args: [1, 1],
  options: { data: { type: 'string', value: '<directory>', help: 'the data directory (default: ./rail-data)' } },
  run: async ({ args: [file = ''], values, show }) => {
    const data = textOf(values, 'data') ?? './rail-data'
    checkData(data)
    if (existsSync(file))
      throw new CliError(2, `${file}: expected a new file, got one that exists. Choose another name.`)
    await backUp(data, file, Date.now()).catch((cause: unknown) => {
      if (!(cause instanceof Error && 'syscall' in cause)) throw cause
      throw new CliError(2, `Cannot write ${file}: ${reasonOf(cause)}.`, { cause })
    })
    show({ backup: file }, () => [`Wrote ${file}.`])
  },
}
