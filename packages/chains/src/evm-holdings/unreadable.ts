/** Why something could not be read: a readable sentence that becomes the reason of an unknown answer. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable';
}

/** The chain responded, but the contract does not have what was read. */
export class ContractRefused extends Unreadable {
  override readonly name: string = 'ContractRefused';
}

/** The contract reverted with a reason of its own, so it may have the function and refuse only this account. */
export class ContractReverted extends ContractRefused {
  override readonly name = 'ContractReverted';
}

/** What the rule asks for does not exist, whatever the chain says. */
export class NotCallable extends Unreadable {
  override readonly name = 'NotCallable';
}
