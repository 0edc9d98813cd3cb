import { Select, TextInput } from '@mantine/core';
import { textOf } from '../fields.ts';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

interface Parts {
  fields: Fields;
  onChange(fields: Fields): void;
}

const solanaChoices = ['collection', 'creators', 'masterEditions', 'mint'] as const;

/** Solana NFTs are named by what they have in common: rules write that as the contract, and its address as the token. */
export function SolanaNftField({ fields, onChange }: Parts) {
  const contract = textOf(fields.contractAddress);
  const by = solanaChoices.find((choice) => choice.toLowerCase() === contract.toLowerCase());
  const address = by === undefined ? contract : textOf(fields.tokenId);
  const put = (next: string, key: string) => {
    const { contractAddress: _, tokenId: __, ...others } = fields;
    if (next === 'collection') onChange({ ...others, ...(key !== '' && { contractAddress: key }) });
    else onChange({ ...others, contractAddress: next, ...(key !== '' && { tokenId: key }) });
  };
  return (
    <>
      <Select
        className={styles.wide}
        label={t('solana.by')}
        data={solanaChoices.map((value) => ({ value, label: t(`solana.${value}`) }))}
        value={by ?? 'collection'}
        allowDeselect={false}
        onChange={(next) => next !== null && put(next, address)}
      />
      <TextInput
        className={styles.wide}
        label={t(`solana.${by ?? 'collection'}Address`)}
        placeholder={t('solana.placeholder')}
        value={address}
        maxLength={100}
        onChange={({ currentTarget }) => put(by ?? 'collection', currentTarget.value.trim())}
      />
    </>
  );
}

/** On the XRP Ledger an asset is its issuer together with a currency or a number. */
export function XrplField({ fields, isToken, onChange }: Parts & { isToken: boolean }) {
  const contract = textOf(fields.contractAddress);
  const at = contract.indexOf('.');
  const [first, second] = at < 0 ? [contract, ''] : [contract.slice(0, at), contract.slice(at + 1)];
  const [currency, issuer, taxon] = isToken ? [first, second, ''] : ['', first, second];
  const put = (one: string, other: string) => {
    const { contractAddress: _, ...others } = fields;
    const text = other === '' ? one : `${one}.${other}`;
    onChange({ ...others, ...(text !== '' && { contractAddress: text }) });
  };
  return (
    <>
      {isToken && (
        <TextInput
          label={t('xrpl.currency')}
          placeholder={t('xrpl.currencyPlaceholder')}
          value={currency}
          maxLength={40}
          onChange={({ currentTarget }) => put(currentTarget.value.trim(), issuer)}
        />
      )}
      <TextInput
        className={styles.wide}
        label={t('xrpl.issuer')}
        placeholder="r…"
        value={issuer}
        maxLength={60}
        onChange={({ currentTarget }) =>
          isToken ? put(currency, currentTarget.value.trim()) : put(currentTarget.value.trim(), taxon)
        }
      />
      {!isToken && (
        <TextInput
          label={t('xrpl.taxon')}
          placeholder={t('xrpl.taxonPlaceholder')}
          inputMode="numeric"
          value={taxon}
          maxLength={10}
          onChange={({ currentTarget }) => put(issuer, currentTarget.value.trim())}
        />
      )}
    </>
  );
}
