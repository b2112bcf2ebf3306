import { edge } from '../../tsup.base.js'

export default edge()
