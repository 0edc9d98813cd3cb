import {
  type Args,
  amountArg,
  type Call,
  type Contract,
  optionalText,
  type Promised,
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
  allSales,
  type Bid,
  findSale,
  getSale,
  listSales,
  nativeToken,
  outbid,
  putSale,
  type Sale,
  saleId,
  salesOfContract,
  salesOfOwner,
  salesOfType,
  takeSale,
} from './market-sales.ts';
import { feeOfPrice, readPayout } from './split-payout.ts';

/** What the entry of one sale costs the seller as long as it stands. */
const storageCost = 10_000_000_000_000_000_000_000n;
const maxPayouts = 10;

const currencies = (storage: View['storage']) => storage.get<readonly string[]>('tokens') ?? [nativeToken];
const saleOfArgs = (args: Args) => saleId(textArg(args, 'nft_contract_id'), textArg(args, 'token_id'));

function init({ storage, args }: Call): void {
  require(storage.get('owner') === undefined, 'The contract has already been initialized');
  const owner = textArg(args, 'owner_id');
  const points = Number(args.fee_basis_points ?? 0);
  require(Number.isInteger(points) && points >= 0 && points <= 5_000, 'invalid fee');
  storage.set('owner', owner);
  storage.set('fee-account', optionalText(args, 'fee_account_id') ?? owner);
  storage.set('fee-points', points);
  storage.set('tokens', [...new Set([nativeToken, ...listArg(args, 'ft_token_ids', [])])]);
}

function listArg(args: Args, name: string, fallback?: string[]): string[] {
  const value = args[name] ?? fallback;
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) panic(`missing field \`${name}\``);
  return value;
}

function addCurrencies({ storage, args, predecessor }: Call): boolean[] {
  require(predecessor === storage.get('owner'), 'Owner must add tokens');
  const known = currencies(storage);
  const added = listArg(args, 'ft_token_ids');
  storage.set('tokens', [...new Set([...known, ...added])]);
  return added.map((token) => !known.includes(token));
}

/** A token contract tells that its owner let this market sell a token; the message says on which conditions. */
function onApprove(call: Call): void {
  const { storage, args, predecessor, signer } = call;
  const owner = textArg(args, 'owner_id');
  require(predecessor !== signer, 'nft_on_approve should only be called via cross-contract call');
  require(owner === signer, 'owner_id should be signer_id');
  const paid = storage.get<bigint>(`deposit/${owner}`) ?? 0n;
  const room = BigInt(readSet(storage, salesOfOwner(owner)).size + 1) * storageCost;
  require(paid >= room, `Insufficient storage paid: ${paid}, for ${room}`);
  const terms = Object(JSON.parse(textArg(args, 'msg')));
  const conditions = Object.entries(Object(terms.sale_conditions));
  require(conditions.length > 0, 'A sale needs at least one price');
  for (const [token, price] of conditions) {
    require(currencies(storage).includes(token), `Token ${token} not supported by this market`);
    require(typeof price === 'string' && /^\d{1,39}$/.test(price), 'invalid price');
  }
  const id = saleId(predecessor, textArg(args, 'token_id'));
  const earlier = findSale(storage, id);
  if (earlier !== undefined) refundBids(call, takeSale(storage, id));
  putSale(storage, {
    owner_id: owner,
    approval_id: Number(args.approval_id),
    nft_contract_id: predecessor,
    token_id: textArg(args, 'token_id'),
    token_type: typeof terms.token_type === 'string' ? terms.token_type : null,
    sale_conditions: Object.fromEntries(conditions) as Record<string, string>,
    bids: {},
    created_at: String(call.timestampNs),
    is_auction: terms.is_auction === true,
  });
}

function pay(call: Call, token: string, account: string, amount: bigint): void {
  if (amount === 0n) return;
  if (token === nativeToken) call.transfer(account, amount);
  else call.call(token, 'ft_transfer', { receiver_id: account, amount: String(amount) }, { deposit: 1n, teraGas: 5 });
}

function refundBids(call: Call, { bids }: Sale): void {
  for (const [token, [bid]] of Object.entries(bids)) if (bid) pay(call, token, bid.owner_id, BigInt(bid.price));
}

interface Offered {
  token: string;
  buyer: string;
  price: bigint;
  /** The market has held the money since an earlier transaction. */
  isBid?: boolean;
}

/** Buys at once when the price is met, and else leaves a bid for the seller to accept. */
function takeOffer(call: Call, id: string, { token, buyer, price }: Offered): Promised | undefined {
  const sale = getSale(call.storage, id);
  require(sale.owner_id !== buyer, 'Cannot bid on your own sale.');
  const asked = BigInt(sale.sale_conditions[token] ?? panic(`Token ${token} is not accepted for this sale`));
  require(price > 0n, 'Attached deposit must be greater than 0');
  if (!sale.is_auction && price === asked) return purchase(call, id, { token, buyer, price });
  require(sale.is_auction || price < asked, 'The offer is higher than the price');
  require(!sale.is_auction || price >= asked, `Attached deposit must be greater than reserve price`);
  const bid: Bid = { owner_id: buyer, price: String(price) };
  const next = outbid(sale, token, bid);
  putSale(call.storage, next.sale);
  if (next.replaced) pay(call, token, next.replaced.owner_id, BigInt(next.replaced.price));
  return undefined;
}

function acceptOffer(call: Call): Promised {
  requireOneYocto(call);
  const id = saleOfArgs(call.args);
  const token = textArg(call.args, 'ft_token_id');
  const sale = ownSale(call, id);
  const bid = sale.bids[token]?.at(-1) ?? panic('No bids');
  const { [token]: _accepted, ...others } = sale.bids;
  putSale(call.storage, { ...sale, bids: others });
  return purchase(call, id, { token, buyer: bid.owner_id, price: BigInt(bid.price), isBid: true });
}

/** Ends the sale, pays the other bids back, and has the token handed over before anybody is paid. */
function purchase(call: Call, id: string, { token, buyer, price, isBid = false }: Offered): Promised {
  const sale = takeSale(call.storage, id);
  refundBids(call, sale);
  const fee = feeOfPrice(price, call.storage.get<number>('fee-points') ?? 0);
  const asked = {
    receiver_id: buyer,
    token_id: sale.token_id,
    approval_id: sale.approval_id,
    memo: 'payout from market',
    balance: String(price - fee),
    max_len_payout: maxPayouts,
  };
  const handed = call.call(sale.nft_contract_id, 'nft_transfer_payout', asked, { deposit: 1n, teraGas: 10 });
  const back = { token, buyer, seller: sale.owner_id, price: String(price), fee: String(fee), is_bid: isBid };
  return call.callBack(handed, 'resolve_purchase', back, { teraGas: 50 });
}

/** Pays everybody their share, or the buyer back. Answers with what the buyer gets back of a fungible token. */
function resolvePurchase(call: Call): string {
  requireSelf(call);
  const { args, storage } = call;
  const [token, buyer, seller] = [textArg(args, 'token'), textArg(args, 'buyer'), textArg(args, 'seller')];
  const [price, fee] = [amountArg(args, 'price'), amountArg(args, 'fee')];
  if (call.results[0] === undefined) {
    // A fungible token goes back by itself when its transfer is told that nothing was used.
    if (token === nativeToken || args.is_bid === true) pay(call, token, buyer, price);
    return String(price);
  }
  const balance = price - fee;
  const answer = readResult(call.results[0]);
  const payout = readPayout(answer, { balance, seller, maxLength: maxPayouts }) ?? new Map([[seller, balance]]);
  for (const [account, amount] of payout) pay(call, token, account, amount);
  pay(call, token, storage.get<string>('fee-account') ?? seller, fee);
  return '0';
}

function ownSale({ storage, predecessor }: Call, id: string): Sale {
  const sale = getSale(storage, id);
  require(sale.owner_id === predecessor, 'Must be sale owner');
  return sale;
}

function removeSale(call: Call): void {
  requireOneYocto(call);
  const id = saleOfArgs(call.args);
  ownSale(call, id);
  refundBids(call, takeSale(call.storage, id));
}

function updatePrice(call: Call): void {
  requireOneYocto(call);
  const { storage, args } = call;
  const token = textArg(args, 'ft_token_id');
  const sale = ownSale(call, saleOfArgs(args));
  require(currencies(storage).includes(token), `Token ${token} not supported by this market`);
  const sale_conditions = { ...sale.sale_conditions, [token]: String(amountArg(args, 'price')) };
  putSale(storage, { ...sale, sale_conditions });
}

function depositStorage({ storage, args, predecessor, deposit }: Call): void {
  const account = optionalText(args, 'account_id') ?? predecessor;
  require(deposit >= storageCost, `Requires minimum deposit of ${storageCost}`);
  storage.set(`deposit/${account}`, (storage.get<bigint>(`deposit/${account}`) ?? 0n) + deposit);
}

function withdrawStorage(call: Call): void {
  requireOneYocto(call);
  const { storage, predecessor } = call;
  const held = BigInt(readSet(storage, salesOfOwner(predecessor)).size) * storageCost;
  const free = (storage.get<bigint>(`deposit/${predecessor}`) ?? 0n) - held;
  storage.set(`deposit/${predecessor}`, held);
  if (free > 0n) call.transfer(predecessor, free);
}

const salesUnder = (prefix: (name: string) => string, arg: string) => (view: View) => {
  const { from, limit } = pageArgs(view.args);
  return listSales(view.storage, prefix(textArg(view.args, arg)), from, limit);
};

/** A market for non-fungible tokens: sales, auctions and offers in NEAR and fungible tokens, with royalties (NEP-199). */
export const market: Contract = {
  views: {
    get_sale: ({ storage, args }: View) => findSale(storage, textArg(args, 'nft_contract_token')) ?? null,
    get_supply_sales: ({ storage }: View) => String(readSet(storage, allSales).size),
    get_supply_by_owner_id: ({ storage, args }: View) =>
      String(readSet(storage, salesOfOwner(textArg(args, 'account_id'))).size),
    get_sales_by_owner_id: salesUnder(salesOfOwner, 'account_id'),
    get_sales_by_nft_contract_id: salesUnder(salesOfContract, 'nft_contract_id'),
    get_sales_by_nft_token_type: salesUnder(salesOfType, 'token_type'),
    supported_ft_token_ids: ({ storage }: View) => currencies(storage),
    market_fee: ({ storage }: View) => ({
      basis_points: storage.get<number>('fee-points') ?? 0,
      account_id: storage.get<string>('fee-account') ?? null,
    }),
    storage_minimum_balance: () => String(storageCost),
    storage_balance_of: ({ storage, args }: View) =>
      String(storage.get<bigint>(`deposit/${textArg(args, 'account_id')}`) ?? 0n),
  },
  methods: {
    new: init,
    add_ft_token_ids: addCurrencies,
    nft_on_approve: onApprove,
    offer: (call: Call) =>
      takeOffer(call, saleOfArgs(call.args), { token: nativeToken, buyer: call.predecessor, price: call.deposit }),
    ft_on_transfer: (call: Call) => {
      const msg = Object(JSON.parse(textArg(call.args, 'msg')));
      const bid = {
        token: call.predecessor,
        buyer: textArg(call.args, 'sender_id'),
        price: amountArg(call.args, 'amount'),
      };
      return takeOffer(call, saleOfArgs(msg), bid) ?? '0';
    },
    accept_offer: acceptOffer,
    resolve_purchase: resolvePurchase,
    remove_sale: removeSale,
    update_price: updatePrice,
    storage_deposit: depositStorage,
    storage_withdraw: withdrawStorage,
  },
};
