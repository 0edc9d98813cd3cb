import { chainInWords } from '../../gating/naming/index.ts';
import type { ActionContent, ActionRow, TreasuryRow } from '../treasuries/index.ts';

/** What an action does, in lines for people. */
export function describeAction(
  { safe_address, chain_id, kind, holder_id }: TreasuryRow,
  { kind: what, content, nonce }: Pick<ActionRow, 'kind' | 'content' | 'nonce'>,
): { summary: string[]; warnings: string[] } {
  const from = [
    `Wallet: ${safe_address} of the ${kind} ${holder_id}`,
    `Chain: ${chainInWords(`evm:${chain_id}`)}, ${chain_id}`,
    `Number: ${nonce}`,
  ];
  if (what === 'hand-over')
    return {
      summary: [...from, `Hand over to: ${content.newOwner}`],
      warnings: ['From then on only that wallet can move what the Safe holds. This server cannot undo it.'],
    };
  return { summary: [...from, `Send: ${describeAsset(content)}`, `To: ${content.to}`], warnings: [] };
}

function describeAsset({ standard, token, tokenId, amount }: ActionContent): string {
  switch (standard) {
    case 'erc20':
      return `${amount} units of the token ${token}`;
    case 'erc721':
      return `token ${tokenId} of ${token}`;
    case 'erc1155':
      return `${amount} of token ${tokenId} of ${token}`;
    default:
      return `${inCoins(amount ?? '')} of the chain's coin, ${amount} in its smallest unit`;
  }
}

/** Coins of EVM chains have 18 decimals. */
function inCoins(units: string): string {
  const digits = units.padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}
