import type { Sql, Tx } from '@latchkey/db';
import { record, T, text, type ValueOf } from '@latchkey/kernel';
import { type TreasuryView, toWalletFields, walletFields } from '../../services/treasuries/index.ts';
import { qualifiedId } from './organization.ts';

const classifier = 'ORGWALLET';

export const OrganizationWallet = record(
  'OrganizationWallet',
  'The Safe of an organization. Its address can receive money before the contract is deployed.',
  {
    ...walletFields({
      kind: 'organization',
      classifier,
      pk: 'ORG# and the id of the organization.',
      userId: 'The id of the user the organization belongs to.',
    }),
    organizationId: text('The id of the organization.'),
    gnosisAddress: text('The address of the Safe again, under the name that existing clients read.'),
    chainId: T.Number({ description: 'The EVM chain the Safe is meant for.' }),
    timestamp: T.Number({ description: 'When it was created, in milliseconds since 1970.' }),
    communityId: text('ORG# and the id of the organization, which takes the place of a community here.'),
  },
);

export type OrganizationWallet = ValueOf<typeof OrganizationWallet>;

/** `view` is the wallet's state on the chain. */
export function toWallet(row: WalletRow, view: TreasuryView | undefined): OrganizationWallet {
  const organization = qualifiedId({ id: row.organization_id });
  return {
    ...toWalletFields(row, view, { pk: organization, classifier }),
    gnosisAddress: row.safe_address,
    organizationId: row.organization_id,
    communityId: organization,
    chainId: row.chain_id,
  };
}

/** A stored wallet. */
export interface WalletRow {
  organization_id: string;
  created_by_id: string;
  owner_address: string;
  safe_address: string;
  chain_id: number;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    organization_wallets: WalletRow;
  }
}

export function selectWallet(tx: Sql, organizationId: string): Promise<WalletRow | undefined> {
  return tx
    .selectFrom('organization_wallets')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

export async function insertWallet(tx: Tx, row: WalletRow): Promise<WalletRow> {
  await tx.insertInto('organization_wallets').values(row).execute();
  return row;
}
