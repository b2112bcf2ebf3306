import { library } from '../../tsup.base.js'

export default library({ target: 'es2022' })
