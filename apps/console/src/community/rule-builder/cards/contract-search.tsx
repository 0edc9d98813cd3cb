import { Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { type Answer, useOperation, usePages } from '../../../shared/api/index.ts';
import { IconSearch } from '../../../shared/icons.ts';
import { Failure, More, Picture } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import type { FieldWords } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import { t } from '../messages/index.ts';
import styles from './cards.module.css';

export type FoundToken = Answer<'GET /latchkey/communities/{communityId}/tokens'>['tokens'][number];

const pauseMs = 350;

/** Finds a contract by name, link or address: among well-known tokens, on the chains, and in the members’ wallets. */
export function ContractSearch({
  kind,
  chainId,
  words,
  text,
  whenNone,
  onType,
  onChoose,
}: {
  kind: Kind;
  chainId: number | undefined;
  words: FieldWords;
  text: string;
  /** Shown where no chain has a token like that. */
  whenNone: ReactNode;
  onType(text: string): void;
  onChoose(token: FoundToken): void;
}) {
  const { communityId } = useBuilding();
  const [isOpen, setIsOpen] = useState(false);
  const [wanted] = useDebouncedValue(text.trim(), pauseMs);
  const isWanted = wanted.length > 1 && text.trim() !== '';
  const found = useOperation(
    'GET /latchkey/communities/{communityId}/tokens',
    {
      communityId,
      search: wanted,
      ...(!kind.hasToken && { type: kind.name, ...(chainId !== undefined && { chainId }) }),
    },
    { enabled: isWanted, keepsPrevious: true },
  );
  const tokens = isWanted ? (found.data?.tokens ?? []) : [];
  return (
    <div className={styles.search}>
      <TextInput
        label={words.label}
        description={words.hint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={words.placeholder}
        value={text}
        maxLength={1000}
        leftSection={<IconSearch size={16} />}
        rightSection={found.isFetching ? <Loader size="xs" aria-label={t('contract.searching')} /> : null}
        onFocus={() => setIsOpen(true)}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
      />
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {tokens.length > 0 && <TokenList label={t('contract.found')} tokens={tokens} onChoose={onChoose} />}
      {isWanted && found.data?.note !== undefined && (
        <Text size="sm" c="dimmed" role="status">
          {found.data.note}
        </Text>
      )}
      {isWanted && found.isSuccess && tokens.length === 0 && whenNone}
      {isOpen && text.trim() === '' && <HeldTokens kind={kind} chainId={chainId} onChoose={onChoose} />}
    </div>
  );
}

/** What the members hold already, offered before anything is typed. */
function HeldTokens({
  kind,
  chainId,
  onChoose,
}: {
  kind: Kind;
  chainId: number | undefined;
  onChoose(token: FoundToken): void;
}) {
  const { communityId } = useBuilding();
  const held = usePages('GET /latchkey/communities/{communityId}/held-tokens', { communityId, limit: 20 });
  const tokens = held.items.filter((token) => fits(token, kind, chainId));
  if (tokens.length === 0 && !held.hasMore) return null;
  return (
    <>
      <Text size="sm" fw={500}>
        {t('contract.held')}
      </Text>
      <TokenList label={t('contract.held')} tokens={tokens} onChoose={onChoose} />
      <More pages={held} text={t('contract.more')} />
    </>
  );
}

function fits({ type, chainId: place }: FoundToken, kind: Kind, chainId: number | undefined): boolean {
  if (kind.hasToken) return /^ERC(?:20|721|1155)$/.test(type);
  if (kind.name.startsWith('SOLANA')) return type === kind.name;
  return place !== undefined && (chainId === undefined || place === chainId);
}

function TokenList({
  label,
  tokens,
  onChoose,
}: {
  label: string;
  tokens: readonly FoundToken[];
  onChoose(token: FoundToken): void;
}) {
  return (
    <ul className={styles.found} aria-label={label}>
      {tokens.map((token) => (
        <li key={`${token.type}/${token.chainId}/${token.contractAddress ?? token.collectionName ?? token.eventId}`}>
          <button type="button" onClick={() => onChoose(token)}>
            <Picture name={token.symbol ?? token.name ?? '?'} size={24} />
            <span className={styles.tokenWords}>
              <strong>{token.name ?? token.symbol ?? token.contractAddress}</strong>
              <span>
                {[token.symbol, /^ERC\d/.test(token.type) && token.type, token.chainName].filter(Boolean).join(' · ')}
              </span>
            </span>
            {token.holders !== undefined && (
              <span className={styles.holders}>{t('contract.holdersHere', { count: token.holders })}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
