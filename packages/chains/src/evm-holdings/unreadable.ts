/** Why something could not be read: a sentence for people that becomes the reason of an unknown answer. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable';
}

/** The chain answered, but the contract does not have what it was asked for. */
export class ContractRefused extends Unreadable {
  override readonly name = 'ContractRefused';
}
