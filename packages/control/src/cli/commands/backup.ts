import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { backUp } from '../../store/backup.js'
import { FILE_NAME } from '../../store/database.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'

/** `backup`: copies the database, also while the control plane runs. */
export const backup: Command = {
  usage: '<file> [--data ./rail-data]',
  summary: "copy the database of a data directory; to put it back, stop, let it be the directory's only file, start",
  args: [1, 1],
  options: { data: { type: 'string' } },
  run: async ({ args: [file = ''], values, show }) => {
    const data = textOf(values, 'data') ?? './rail-data'
    if (!existsSync(join(data, FILE_NAME))) throw new CliError(2, `There is no control plane's data in ${data}.`)
    if (existsSync(file)) throw new CliError(2, `${file} is there already.`)
    await backUp(data, file, Date.now())
    show({ backup: file }, () => [`${file} is written.`])
  },
}
