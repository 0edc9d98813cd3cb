import { isAccountId, parentOf } from '../account-id.ts';
import { readKey } from '../keys.ts';
import { type Call, type Contract, require, requireSelf, textArg } from './contract.ts';

/** The top-level registrar: creates accounts for anyone who pays for them. */
export const registrar: Contract = {
  views: {},
  methods: {
    create_account: (call: Call) => {
      const id = textArg(call.args, 'new_account_id');
      const publicKey = textArg(call.args, 'new_public_key');
      require(isAccountId(id) && parentOf(id) === call.account, 'Invalid account id');
      require(readKey(publicKey) !== undefined, 'Invalid public key');
      const made = call.batch(id, [
        { kind: 'CreateAccount' },
        { kind: 'AddKey', publicKey, nonce: 0n, permission: 'FullAccess' },
        { kind: 'Transfer', deposit: call.deposit },
      ]);
      const back = { predecessor_account_id: call.predecessor, amount: String(call.deposit) };
      return call.callBack(made, 'on_account_created', back, { teraGas: 13 });
    },
    on_account_created: (call: Call) => {
      requireSelf(call);
      if (call.results[0] !== undefined) return true;
      const amount = BigInt(textArg(call.args, 'amount'));
      if (amount > 0n) call.transfer(textArg(call.args, 'predecessor_account_id'), amount);
      return false;
    },
  },
};
