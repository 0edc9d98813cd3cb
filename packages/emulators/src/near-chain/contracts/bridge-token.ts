import { parentOf } from '../account-id.ts';
import { BorshWriter } from '../borsh.ts';
import { amountArg, type Call, type Contract, panic, require, requireOneYocto, textArg } from './contract.ts';
import { burn, nep141 } from './nep141.ts';

const ethereumAddress = /^[\da-f]{40}$/i;

/** Burns tokens here, and has the factory write down that they may be had on Ethereum. */
function withdraw(call: Call) {
  requireOneYocto(call);
  const { args, account, predecessor } = call;
  const amount = amountArg(args, 'amount');
  const recipient = textArg(args, 'recipient');
  require(amount > 0n, 'The amount should be a positive number');
  require(ethereumAddress.test(recipient), 'Eth address should be 20 bytes in hexadecimal');
  call.transfer(predecessor, 1n);
  burn(call, predecessor, amount);
  const factory = parentOf(account) ?? panic('A bridged token lives under its factory');
  return call.call(factory, 'finish_withdraw', { amount: String(amount), recipient }, { teraGas: 30 });
}

/** A token that came over the bridge from Ethereum. Its name is the address of the contract there. */
export const bridgeToken: Contract = { views: nep141.views, methods: { ...nep141.methods, withdraw } };

/** Whose word the contract on Ethereum takes: the result names the amount, the token and who may have it. */
export const bridgeFactory: Contract = {
  views: {},
  methods: {
    finish_withdraw: ({ predecessor, account, args }: Call) => {
      const token = predecessor.slice(0, predecessor.indexOf('.'));
      require(predecessor === `${token}.${account}` && ethereumAddress.test(token), 'Only bridged tokens may withdraw');
      const recipient = textArg(args, 'recipient');
      return new BorshWriter()
        .u8(0)
        .u128(amountArg(args, 'amount'))
        .fixed(Buffer.from(token, 'hex'))
        .fixed(Buffer.from(recipient, 'hex'))
        .done();
    },
  },
};
