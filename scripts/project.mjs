// The address of the project, in this one place. `node scripts/write-metadata.mjs` writes it wherever it is needed.

/** The project's address: a placeholder on a reserved name until there is one. Nothing is published with a placeholder. */
export const REPOSITORY = 'https://github.invalid/rail/rail'

/** Whether an address is a placeholder. RFC 2606 reserves `.invalid`, so no real address ends with it. */
export const isPlaceholder = (address) => new URL(address).hostname.endsWith('.invalid')
