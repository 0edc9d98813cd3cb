/** Why something could not be read: a readable sentence that becomes the reason of an unknown answer. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable';
}

/** The chain responded, but the contract does not have what was read. */
export class ContractRefused extends Unreadable {
  override readonly name = 'ContractRefused';
}
