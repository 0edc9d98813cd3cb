import {
  type Answer,
  type ChainFollower,
  type EvmDigests,
  type EvmWallets,
  type HoldingsReader,
  type Locks,
  type NameService,
  type Near,
  NearUnavailable,
  type Question,
  RegistryRefusal,
  RegistryUnavailable,
  type Safes,
  SafesRefusal,
  SafesUnavailable,
  type TokenMetadataReader,
  type WaitingListChain,
  type WalletNamespace,
  type WalletRegistry,
} from '../ports/index.ts';
import { asyncMethod, type MethodGuard, type PortGuard, syncMethod } from './guard.ts';
import {
  answer,
  anything,
  bigNumber,
  bytes,
  flag,
  listOf,
  maybe,
  oneOf,
  record,
  type Shape,
  text,
  time,
} from './shapes.ts';

const unknownShape = { reason: text };
type Unknown = { kind: 'unknown'; reason: string };

/** Guards a method that returns `unknown` if it cannot decide. */
function answering<Args extends unknown[], Given>(
  shape: Shape,
  isCounted = false,
): MethodGuard<Args, Promise<Given | Unknown>> {
  return asyncMethod({
    accepts: shape,
    failed: (reason): Given | Unknown => ({ kind: 'unknown', reason }),
    ...(isCounted && { isUnknown: isOpen }),
  });
}

/** Whether a verdict may change later, because something could not be read. */
function isOpen(value: unknown): boolean {
  return record({ kind: oneOf('unknown'), isLasting: oneOf(undefined) })(value);
}

export const walletGuard: PortGuard<WalletNamespace> = {
  normalizeAddress: syncMethod(maybe(text)),
  verify: answering(
    answer({ valid: { address: text, contractChain: maybe(text) }, invalid: unknownShape, unknown: unknownShape }),
    true,
  ),
};

export const nameGuard: PortGuard<NameService> = {
  resolve: answering(answer({ found: { address: text }, none: unknownShape, unknown: unknownShape })),
};

const decimal: Shape = (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
const holdingShape = answer({
  read: {
    amount: decimal,
    tokens: maybe(listOf(record({ id: text, amount: decimal }))),
    block: maybe(record({ number: text })),
  },
  unknown: unknownShape,
});
const allUnknown = (questions: readonly Question[], reason: string): Answer[] =>
  questions.map(() => ({ kind: 'unknown', reason }));

export const holdingsGuard: PortGuard<HoldingsReader> = {
  reads: syncMethod(flag),
  read: asyncMethod({
    // One result per question, in order: a list of another length says nothing about any of them.
    accepts: (value, [questions]) => Array.isArray(value) && value.length === questions.length,
    failed: (reason, [questions]) => allUnknown(questions, reason),
    repair: (answers) =>
      answers.every(holdingShape)
        ? answers
        : answers.map((one) => (holdingShape(one) ? one : { kind: 'unknown', reason: 'The response cannot be read.' })),
    limit: 'batchMs',
  }),
};

const cursor = record({ number: text, hash: text });

export const followerGuard: PortGuard<ChainFollower> = {
  announces: syncMethod(flag),
  start: asyncMethod({ accepts: maybe(cursor), failed: () => undefined }),
  next: answering(
    answer({
      advanced: {
        to: cursor,
        blocks: listOf(cursor),
        changes: listOf(record({ contract: text, account: text, block: cursor })),
      },
      waiting: {},
      reorganised: { ancestor: cursor },
      lost: {},
      unknown: unknownShape,
    }),
  ),
};

export const metadataGuard: PortGuard<TokenMetadataReader> = {
  reads: syncMethod(flag),
  read: asyncMethod({
    accepts: (value, [, contracts]) =>
      listOf(answer({ read: { metadata: record({}) }, unknown: unknownShape }))(value) &&
      Array.isArray(value) &&
      value.length === contracts.length,
    failed: (reason, [, contracts]) => contracts.map(() => ({ kind: 'unknown' as const, reason })),
    limit: 'batchMs',
  }),
  readCode: asyncMethod({
    accepts: (value, [, contracts]) =>
      listOf(answer({ read: { hasCode: flag }, unknown: unknownShape }))(value) &&
      Array.isArray(value) &&
      value.length === contracts.length,
    failed: (reason, [, contracts]) => contracts.map(() => ({ kind: 'unknown' as const, reason })),
    limit: 'batchMs',
  }),
  probe: asyncMethod({
    accepts: (value, [, probes]) =>
      listOf(answer({ read: { isAnswered: flag }, unknown: unknownShape }))(value) &&
      Array.isArray(value) &&
      value.length === probes.length,
    failed: (reason, [, probes]) => probes.map(() => ({ kind: 'unknown' as const, reason })),
    limit: 'batchMs',
  }),
  readCollection: asyncMethod({
    accepts: answer({ read: { documents: Array.isArray }, none: {}, unknown: unknownShape }),
    failed: (reason) => ({ kind: 'unknown', reason }),
    limit: 'batchMs',
  }),
  readControl: answering(answer({ controlled: { by: text }, 'not-controlled': {}, unknown: unknownShape })),
};

export const waitingListGuard: PortGuard<WaitingListChain> = {
  signerAddress: syncMethod(text),
  signQuote: asyncMethod({ accepts: text, failed: failing('The quote could not be signed.') }),
  readRegistered: answering(answer({ read: { isRegistered: flag }, unknown: unknownShape })),
};

export const evmWalletsGuard: PortGuard<EvmWallets> = {
  createOwnerKey: syncMethod(record({ privateKey: bytes, address: text })),
  safeAddress: syncMethod(text),
  personalSign: syncMethod(text),
  isPersonalSignature: syncMethod(flag),
};

export const digestGuard: PortGuard<EvmDigests> = {
  textDigest: syncMethod(bytes),
  typedDataDigest: asyncMethod({ accepts: maybe(bytes), failed: failing('The digest could not be computed.') }),
};

export const lockGuard: PortGuard<Locks> = {
  checkoutUrl: syncMethod(text),
  keyUntil: asyncMethod({ accepts: maybe(time), failed: failing('The lock could not be read.') }),
};

/** For ports that declare no error type: their callers treat any error as a failure. */
function failing(what: string) {
  return (reason: string): never => {
    throw new Error(`${what} ${reason}`);
  };
}

function registry<Args extends unknown[], Given>(shape: Shape): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({
    accepts: shape,
    throws: (error) => error instanceof RegistryUnavailable || error instanceof RegistryRefusal,
    failed: (reason) => {
      throw new RegistryUnavailable(`The wallet registry could not be reached. ${reason}`);
    },
  });
}

const prepared = record({ hash: text, raw: text, maxCost: bigNumber });

export const registryGuard: PortGuard<WalletRegistry> = {
  registrarAddress: syncMethod(text),
  findClaim: registry(maybe(record({ ownerHash: text, txHash: text }))),
  prepareClaim: registry(prepared),
  send: registry(anything),
  stateOf: registry(oneOf('mined', 'reverted', 'pending', 'unknown')),
};

function safes<Args extends unknown[], Given>(shape: Shape): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({
    accepts: shape,
    throws: (error) => error instanceof SafesUnavailable || error instanceof SafesRefusal,
    failed: (reason) => {
      throw new SafesUnavailable(`The Safe’s chain could not be reached. ${reason}`);
    },
  });
}

const safeCall = record({ to: text, value: bigNumber, data: text });

export const safesGuard: PortGuard<Safes> = {
  payerAddress: syncMethod(text),
  readState: safes(record({ isDeployed: flag, balance: bigNumber, nonce: bigNumber, owners: listOf(text) })),
  // Both refuse what cannot be encoded, with their own error.
  encodeTransfer: (call) => call,
  encodeOwnerChange: syncMethod(safeCall),
  rehearse: safes(anything),
  prepareDeployment: safes(prepared),
  prepareTransaction: safes(prepared),
  send: safes(anything),
  outcomeOf: safes(oneOf('done', 'failed', 'reverted', 'pending', 'unknown')),
};

function near<Args extends unknown[], Given>(shape: Shape): MethodGuard<Args, Promise<Given>> {
  return asyncMethod({
    accepts: shape,
    throws: (error) => error instanceof NearUnavailable,
    failed: (reason) => {
      throw new NearUnavailable(`NEAR could not be reached. ${reason}`);
    },
  });
}

const signed = record({ bytes, hash: text, signerId: text, receiverId: text });
const done = { value: anything, logs: listOf(text) };

export const nearGuard: PortGuard<Near> = {
  isAccountId: syncMethod(flag),
  isPublicKey: syncMethod(flag),
  view: near(answer({ value: { value: anything }, none: {}, failed: unknownShape })),
  findAccount: near(maybe(record({ yocto: bigNumber }))),
  keysOf: near(listOf(record({ publicKey: text, nonce: Number.isFinite }))),
  finalBlockHash: near(text),
  encode: syncMethod(record({ bytes, hash: text })),
  sign: near(signed),
  attach: syncMethod(maybe(signed)),
  readSigned: syncMethod(maybe(signed)),
  isMessageSigned: syncMethod(flag),
  send: answering(
    answer({ done, failed: unknownShape, refused: { ...unknownShape, isOutdated: flag }, unknown: unknownShape }),
  ),
  lookUp: answering(answer({ done, failed: unknownShape, absent: {}, unknown: unknownShape })),
};
