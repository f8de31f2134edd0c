/** A row cannot be tried here. */
export class Unable extends Error {}
