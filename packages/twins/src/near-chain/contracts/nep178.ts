import {
  type Call,
  type Contract,
  numberArg,
  optionalText,
  require,
  requireOneYocto,
  textArg,
  type View,
} from './contract.ts';
import { getToken, putToken, requireUnlocked, type StoredToken } from './nep171-tokens.ts';

/** What an approval must bring along for the room it takes. */
const minDeposit = 1n;

function owned({ storage, args, predecessor }: Call): { id: string; token: StoredToken } {
  const id = textArg(args, 'token_id');
  const token = getToken(storage, id);
  require(token.owner === predecessor, 'Predecessor must be token owner');
  return { id, token };
}

function approve(call: Call) {
  require(call.deposit >= minDeposit, 'Must attach storage deposit of at least 1 yoctoNEAR');
  const { id, token } = owned(call);
  requireUnlocked(call.storage, token);
  const account = textArg(call.args, 'account_id');
  const approvalId = token.nextApprovalId;
  putToken(call.storage, id, {
    ...token,
    approvals: { ...token.approvals, [account]: approvalId },
    nextApprovalId: approvalId + 1,
  });
  if (call.deposit > minDeposit) call.transfer(call.predecessor, call.deposit - minDeposit);
  const msg = optionalText(call.args, 'msg');
  if (msg === undefined) return undefined;
  const told = { token_id: id, owner_id: token.owner, approval_id: approvalId, msg };
  return call.call(account, 'nft_on_approve', told, { teraGas: call.teraGas - 8 });
}

function revoke(call: Call): void {
  requireOneYocto(call);
  const { id, token } = owned(call);
  const { [textArg(call.args, 'account_id')]: _revoked, ...approvals } = token.approvals;
  putToken(call.storage, id, { ...token, approvals });
}

function revokeAll(call: Call): void {
  requireOneYocto(call);
  const { id, token } = owned(call);
  putToken(call.storage, id, { ...token, approvals: {} });
}

/** Leave for others to transfer a token (NEP-178). An approval names a number, and ends with the owner. */
export const approvals: Contract = {
  views: {
    nft_is_approved: ({ storage, args }: View) => {
      const held = getToken(storage, textArg(args, 'token_id')).approvals[textArg(args, 'approved_account_id')];
      const wanted = numberArg(args, 'approval_id');
      return held !== undefined && (wanted === undefined || wanted === held);
    },
  },
  methods: { nft_approve: approve, nft_revoke: revoke, nft_revoke_all: revokeAll },
};
