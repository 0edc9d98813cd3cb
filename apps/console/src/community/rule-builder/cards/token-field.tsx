import { Button, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type Answer, useOperation } from '../../../shared/api/index.ts';
import { IconSearch } from '../../../shared/icons.tsx';
import { Failure, Picture } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import { textOf } from '../fields.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';
import { ChainField } from './chain-field.tsx';

type Found = Answer<'GET /latchkey/communities/{communityId}/tokens'>['tokens'][number];

const pauseMs = 350;

/** Which token: found by address, link or name, and shown as its chain describes it. */
export function TokenField({ fields, onChange }: { fields: Fields; onChange(fields: Fields): void }) {
  const address = textOf(fields.contractAddress);
  const [isSearching, setIsSearching] = useState(address === '' && fields.asset === undefined);
  if (fields.asset !== undefined && !isSearching)
    return <Chosen name={textOf(fields.asset)} note="Named by one text" onChange={() => setIsSearching(true)} />;
  if (!isSearching && address !== '')
    return <KnownToken fields={fields} address={address} onChange={() => setIsSearching(true)} />;
  const choose = ({ type, chainId, contractAddress, collectionName, eventId, tokenId }: Found) => {
    const { asset: _, contractAddress: __, chainId: ___, ...kept } = fields;
    onChange({
      ...kept,
      type,
      ...(chainId !== undefined && { chainId }),
      ...(contractAddress !== undefined && { contractAddress }),
      ...(collectionName !== undefined && { collectionName }),
      ...(eventId !== undefined && { eventId }),
      ...(tokenId !== undefined && { tokenId }),
    });
    setIsSearching(false);
  };
  return <TokenSearch fields={fields} onChange={onChange} onChoose={choose} />;
}

function KnownToken({ fields, address, onChange }: { fields: Fields; address: string; onChange(): void }) {
  const { communityId } = useBuilding();
  const chainId = Number(fields.chainId ?? 1);
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address) && Number.isSafeInteger(chainId) && chainId > 0;
  const found = useOperation(
    'GET /latchkey/communities/{communityId}/tokens',
    { communityId, search: address, chainId },
    { enabled: isAddress },
  );
  const token = found.data?.tokens[0];
  const isCollection = token !== undefined && token.type !== 'ERC20';
  const picture = useOperation(
    'GET /latchkey/communities/{communityId}/token-picture',
    { communityId, chainId, contractAddress: address },
    { enabled: isAddress && isCollection },
  );
  const isOther = token !== undefined && textOf(fields.type).toUpperCase() !== token.type;
  const name = token?.name ?? token?.symbol ?? address;
  const symbol = token?.symbol !== undefined && token.symbol !== name ? ` (${token.symbol})` : '';
  return (
    <>
      <Chosen
        name={`${name}${symbol}`}
        note={`${token === undefined ? '' : `${token.type} on ${token.chainName} · `}${address}`}
        picture={picture.data?.picture}
        onChange={onChange}
      />
      {isOther && (
        <Text size="sm" c="var(--bad)" role="alert">
          {`This contract is ${token.type}. Choose that kind, or another token.`}
        </Text>
      )}
      {found.data?.note !== undefined && token === undefined && (
        <Text size="sm" c="var(--bad)" role="alert">
          {found.data.note}
        </Text>
      )}
    </>
  );
}

function Chosen({
  name,
  note,
  picture,
  onChange,
}: {
  name: string;
  note: string;
  picture?: string | undefined;
  onChange(): void;
}) {
  return (
    <div className={styles.token}>
      <Picture source={picture} name={name} />
      <div className={styles.tokenWords}>
        <strong title={name}>{name}</strong>
        <span title={note}>{note}</span>
      </div>
      <Button size="compact-sm" variant="default" onClick={onChange}>
        Change token
      </Button>
    </div>
  );
}

function TokenSearch({
  fields,
  onChange,
  onChoose,
}: {
  fields: Fields;
  onChange(fields: Fields): void;
  onChoose(token: Found): void;
}) {
  const { communityId } = useBuilding();
  const [text, setText] = useState(textOf(fields.contractAddress));
  const [wanted] = useDebouncedValue(text.trim(), pauseMs);
  const found = useOperation(
    'GET /latchkey/communities/{communityId}/tokens',
    { communityId, search: wanted },
    { enabled: wanted.length > 1, keepsPrevious: true },
  );
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(text.trim());
  const tokens = wanted.length > 1 ? (found.data?.tokens ?? []) : [];
  return (
    <div className={styles.search}>
      <TextInput
        label="Token"
        placeholder="Paste a contract address or a link, or type a name"
        value={text}
        maxLength={1000}
        leftSection={<IconSearch size={16} />}
        rightSection={found.isFetching ? <Loader size="xs" aria-label="Searching" /> : null}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {tokens.length > 0 && (
        <ul className={styles.found} aria-label="Tokens found">
          {tokens.map((token) => (
            <li
              key={`${token.type}/${token.chainId}/${token.contractAddress ?? token.collectionName ?? token.eventId}`}
            >
              <button type="button" onClick={() => onChoose(token)}>
                <Picture name={token.symbol ?? token.name ?? '?'} size={24} />
                <span className={styles.tokenWords}>
                  <strong>{token.name ?? token.symbol ?? token.contractAddress}</strong>
                  <span>{[token.symbol, token.type, token.chainName].filter(Boolean).join(' · ')}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {wanted.length > 1 && found.data?.note !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {found.data.note}
        </Text>
      )}
      {isAddress && found.isSuccess && tokens.length === 0 && (
        <ChainField
          value={fields.chainId}
          onChange={(chainId) => onChange({ ...fields, chainId, contractAddress: text.trim() })}
        />
      )}
    </div>
  );
}
