import { parentOf } from '../account-id.ts';
import { BorshWriter } from '../borsh.ts';
import {
  type Args,
  amountArg,
  type Call,
  type Contract,
  logEvent,
  optionalText,
  panic,
  type ReadStorage,
  readResult,
  require,
  requireOneYocto,
  requireSelf,
  type Storage,
  textArg,
  type View,
} from './contract.ts';

const standard = ['nep141', '1.0.0'] as const;
/** Reserved for the transfer itself and the callback; the receiver gets the rest. */
const gasKeptTera = 12;
/** The storage cost of one account's entry in a token contract. */
const storageCost = 1_250_000_000_000_000_000_000n;

/** Returns the balance of an account; undefined if it is not registered. */
function balanceIn(storage: ReadStorage, account: string): bigint | undefined {
  return storage.get<bigint>(`balance/${account}`);
}

function setBalance(storage: Storage, account: string, amount: bigint | undefined): void {
  storage.set(`balance/${account}`, amount);
}

function registered(storage: ReadStorage, account: string): bigint {
  return balanceIn(storage, account) ?? panic(`The account ${account} is not registered`);
}

function move(storage: Storage, from: string, to: string, amount: bigint): void {
  require(from !== to, 'Sender and receiver should be different');
  require(amount > 0n, 'The amount should be a positive number');
  const had = registered(storage, from);
  require(had >= amount, "The account doesn't have enough balance");
  setBalance(storage, from, had - amount);
  setBalance(storage, to, registered(storage, to) + amount);
}

/** Burns tokens. */
function burn(call: Call, owner: string, amount: bigint): void {
  const had = registered(call.storage, owner);
  require(had >= amount, "The account doesn't have enough balance");
  setBalance(call.storage, owner, had - amount);
  call.storage.set('supply', (call.storage.get<bigint>('supply') ?? 0n) - amount);
  logEvent(call, standard, 'ft_burn', [{ owner_id: owner, amount: String(amount) }]);
}

function logTransfer(call: Call, from: string, to: string, amount: bigint): void {
  const memo = optionalText(call.args, 'memo');
  const data = { old_owner_id: from, new_owner_id: to, amount: String(amount), ...(memo !== undefined && { memo }) };
  logEvent(call, standard, 'ft_transfer', [data]);
}

function init(call: Call): void {
  require(call.storage.get('metadata') === undefined, 'The contract has already been initialized');
  const { storage, args } = call;
  const owner = textArg(args, 'owner_id');
  const supply = amountArg(args, 'total_supply');
  storage.set('metadata', args.metadata);
  storage.set('owner', owner);
  storage.set('supply', supply);
  setBalance(storage, owner, supply);
  logEvent(call, standard, 'ft_mint', [{ owner_id: owner, amount: String(supply) }]);
}

function mint(call: Call): void {
  const { storage, args, predecessor } = call;
  require(predecessor === storage.get('owner'), 'Owner must mint');
  const account = textArg(args, 'account_id');
  const amount = amountArg(args, 'amount');
  setBalance(storage, account, (balanceIn(storage, account) ?? 0n) + amount);
  storage.set('supply', (storage.get<bigint>('supply') ?? 0n) + amount);
  logEvent(call, standard, 'ft_mint', [{ owner_id: account, amount: String(amount) }]);
}

function transfer(call: Call): void {
  requireOneYocto(call);
  const to = textArg(call.args, 'receiver_id');
  const amount = amountArg(call.args, 'amount');
  move(call.storage, call.predecessor, to, amount);
  logTransfer(call, call.predecessor, to, amount);
}

function transferCall(call: Call) {
  require(call.teraGas > gasKeptTera, 'More gas is required');
  transfer(call);
  const { args, predecessor } = call;
  const to = textArg(args, 'receiver_id');
  const amount = textArg(args, 'amount');
  const request = call.call(
    to,
    'ft_on_transfer',
    { sender_id: predecessor, amount, msg: textArg(args, 'msg') },
    { teraGas: call.teraGas - gasKeptTera },
  );
  const back = { sender_id: predecessor, receiver_id: to, amount };
  return call.callBack(request, 'ft_resolve_transfer', back, { teraGas: 5 });
}

/** Refunds what the receiver did not use, as far as it still has it. */
function resolveTransfer(call: Call): string {
  requireSelf(call);
  const { storage, args } = call;
  const sender = textArg(args, 'sender_id');
  const receiver = textArg(args, 'receiver_id');
  const amount = amountArg(args, 'amount');
  const answer = readResult(call.results[0]);
  const unused = typeof answer === 'string' && /^\d{1,39}$/.test(answer) ? BigInt(answer) : amount;
  const wanted = unused < amount ? unused : amount;
  const had = balanceIn(storage, receiver) ?? 0n;
  const returned = wanted < had ? wanted : had;
  if (returned > 0n && balanceIn(storage, sender) !== undefined) {
    move(storage, receiver, sender, returned);
    logTransfer(call, receiver, sender, returned);
  }
  return String(amount - returned);
}

function deposit(call: Call) {
  const { storage, args, predecessor } = call;
  const account = optionalText(args, 'account_id') ?? predecessor;
  const cost = balanceIn(storage, account) === undefined ? storageCost : 0n;
  require(call.deposit >= cost, 'The attached deposit is less than the minimum storage balance');
  if (cost > 0n) setBalance(storage, account, 0n);
  if (call.deposit > cost) call.transfer(predecessor, call.deposit - cost);
  return storageBalance();
}

function unregister(call: Call): boolean {
  requireOneYocto(call);
  const had = balanceIn(call.storage, call.predecessor);
  if (had === undefined) return false;
  require(had === 0n ||
    call.args.force === true, "Can't unregister the account with the positive balance without force");
  if (had > 0n) burn(call, call.predecessor, had);
  setBalance(call.storage, call.predecessor, undefined);
  call.transfer(call.predecessor, storageCost + 1n);
  return true;
}

const storageBalance = () => ({ total: String(storageCost), available: '0' });
const of = (args: Args) => textArg(args, 'account_id');

/** A fungible token: NEP-141 with metadata (NEP-148), storage management (NEP-145) and events (NEP-300). */
const nep141: Contract = {
  views: {
    ft_total_supply: ({ storage }: View) => String(storage.get<bigint>('supply') ?? 0n),
    ft_balance_of: ({ storage, args }: View) => String(balanceIn(storage, of(args)) ?? 0n),
    ft_metadata: ({ storage }: View) => storage.get('metadata') ?? panic('The contract is not initialized'),
    storage_balance_bounds: () => ({ min: String(storageCost), max: String(storageCost) }),
    storage_balance_of: ({ storage, args }: View) =>
      balanceIn(storage, of(args)) === undefined ? null : storageBalance(),
  },
  methods: {
    new: init,
    mint,
    ft_transfer: transfer,
    ft_transfer_call: transferCall,
    ft_resolve_transfer: resolveTransfer,
    storage_deposit: deposit,
    storage_unregister: unregister,
    storage_withdraw: (call: Call) => {
      requireOneYocto(call);
      return storageBalance();
    },
  },
};

const ethereumAddress = /^[\da-f]{40}$/i;

/** Burns tokens here, and has the factory record that they may be claimed on Ethereum. */
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

/** A token bridged from Ethereum. Its name is the address of the contract there. */
export const bridgeToken: Contract = { views: nep141.views, methods: { ...nep141.methods, withdraw } };

/** The account that the contract on Ethereum trusts: its result contains the amount, the token and the recipient. */
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
