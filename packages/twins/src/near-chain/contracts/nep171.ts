import {
  type Args,
  type Call,
  type Contract,
  logEvent,
  numberArg,
  optionalText,
  pageArgs,
  panic,
  readResult,
  require,
  requireOneYocto,
  requireSelf,
  textArg,
  type View,
} from './contract.ts';
import { readSet } from './indexed-set.ts';
import {
  addToken,
  allTokens,
  describeToken,
  findToken,
  getToken,
  giveTo,
  listTokens,
  nftStandard,
  ownerSet,
  putToken,
  transferToken,
} from './nep171-tokens.ts';
import { approvals } from './nep178.ts';
import { payoutOf } from './split-payout.ts';
import { addTokenTypes, readRoyalties, takeFromCap, tokenTypeViews, unlockTokenTypes } from './token-types.ts';

/** For the transfer itself and for the way back; the receiver has the rest. */
const gasKeptTera = 12;

function init(call: Call): void {
  const { storage, args } = call;
  require(storage.get('metadata') === undefined, 'The contract has already been initialized');
  storage.set('metadata', args.metadata ?? panic('missing field `metadata`'));
  storage.set('owner', textArg(args, 'owner_id'));
  if (args.supply_cap_by_type !== undefined) addTokenTypes(call);
}

function mint(call: Call): unknown {
  const { storage, args } = call;
  require(call.predecessor === storage.get('owner'), 'Owner must mint');
  const id = textArg(args, 'token_id');
  const owner = optionalText(args, 'receiver_id') ?? call.predecessor;
  const type = optionalText(args, 'token_type');
  takeFromCap(storage, type);
  const metadata = args.metadata ?? {};
  const royalties = readRoyalties(args.perpetual_royalties);
  addToken(storage, id, { owner, type, royalties, approvals: {}, nextApprovalId: 0, metadata });
  logEvent(call, nftStandard, 'nft_mint', [{ owner_id: owner, token_ids: [id] }]);
  // Room costs nothing here, so all that came along for it goes back.
  if (call.deposit > 0n) call.transfer(call.predecessor, call.deposit);
  return describeToken(storage, id);
}

const transferOf = ({ args, predecessor }: Call) => ({
  tokenId: textArg(args, 'token_id'),
  sender: predecessor,
  receiver: textArg(args, 'receiver_id'),
  approvalId: numberArg(args, 'approval_id'),
  memo: optionalText(args, 'memo'),
});

function transfer(call: Call): void {
  requireOneYocto(call);
  transferToken(call, transferOf(call));
}

function transferCall(call: Call) {
  requireOneYocto(call);
  require(call.teraGas > gasKeptTera, 'More gas is required');
  const { tokenId, receiver, sender, ...rest } = transferOf(call);
  const before = transferToken(call, { tokenId, receiver, sender, ...rest });
  const told = {
    sender_id: sender,
    previous_owner_id: before.owner,
    token_id: tokenId,
    msg: textArg(call.args, 'msg'),
  };
  const asked = call.call(receiver, 'nft_on_transfer', told, { teraGas: call.teraGas - gasKeptTera });
  const back = {
    previous_owner_id: before.owner,
    receiver_id: receiver,
    token_id: tokenId,
    approved_account_ids: before.approvals,
  };
  return call.callBack(asked, 'nft_resolve_transfer', back, { teraGas: 5 });
}

/** True when the receiver kept the token. It goes back when the receiver says so, or failed, and still has it. */
function resolveTransfer(call: Call): boolean {
  requireSelf(call);
  const { storage, args } = call;
  if (readResult(call.results[0]) === false) return true;
  const id = textArg(args, 'token_id');
  const receiver = textArg(args, 'receiver_id');
  const owner = textArg(args, 'previous_owner_id');
  const token = findToken(storage, id);
  if (token === undefined || token.owner !== receiver) return true;
  giveTo(storage, id, owner);
  putToken(storage, id, { ...getToken(storage, id), approvals: Object(args.approved_account_ids) });
  const data = [{ old_owner_id: receiver, new_owner_id: owner, token_ids: [id] }];
  logEvent(call, nftStandard, 'nft_transfer', data);
  return false;
}

function writePayout(args: Args, owner: string, royalties: Readonly<Record<string, number>>) {
  const payout = payoutOf(BigInt(textArg(args, 'balance')), owner, royalties);
  const limit = numberArg(args, 'max_len_payout');
  require(limit === undefined || payout.size <= limit, 'Market cannot payout to that many receivers');
  return { payout: Object.fromEntries([...payout].map(([account, amount]) => [account, String(amount)])) };
}

function transferPayout(call: Call): unknown {
  requireOneYocto(call);
  const before = transferToken(call, transferOf(call));
  if (call.args.balance === undefined || call.args.balance === null) return null;
  return writePayout(call.args, before.owner, before.royalties);
}

/** A non-fungible token: NEP-171 with 177, 178, 181, 199 and types of tokens whose number is capped. */
export const nep171: Contract = {
  views: {
    nft_metadata: ({ storage }: View) => storage.get('metadata') ?? panic('The contract is not initialized'),
    nft_token: ({ storage, args }: View) => describeToken(storage, textArg(args, 'token_id')),
    nft_total_supply: ({ storage }: View) => String(readSet(storage, allTokens).size),
    nft_tokens: ({ storage, args }: View) => {
      const { from, limit } = pageArgs(args);
      return listTokens(storage, allTokens, from, limit);
    },
    nft_supply_for_owner: ({ storage, args }: View) =>
      String(readSet(storage, ownerSet(textArg(args, 'account_id'))).size),
    nft_tokens_for_owner: ({ storage, args }: View) => {
      const { from, limit } = pageArgs(args);
      return listTokens(storage, ownerSet(textArg(args, 'account_id')), from, limit);
    },
    nft_payout: ({ storage, args }: View) => {
      const { owner, royalties } = getToken(storage, textArg(args, 'token_id'));
      return writePayout(args, owner, royalties);
    },
    ...approvals.views,
    ...tokenTypeViews,
  },
  methods: {
    new: init,
    nft_mint: mint,
    nft_transfer: transfer,
    nft_transfer_call: transferCall,
    nft_resolve_transfer: resolveTransfer,
    nft_transfer_payout: transferPayout,
    add_token_types: (call: Call) => {
      require(call.predecessor === call.storage.get('owner'), 'Owner must add token types');
      addTokenTypes(call);
    },
    unlock_token_types: (call: Call) => {
      require(call.predecessor === call.storage.get('owner'), 'Owner must unlock token types');
      unlockTokenTypes(call);
    },
    ...approvals.methods,
  },
};
