import { Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { type Answer, useOperation } from '../../../shared/api/index.ts';
import { Failure, Picture } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import { type FieldWords, textOf } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';
import { ChainField } from './chain-field.tsx';
import { ContractSearch, type FoundToken } from './contract-search.tsx';

const pauseMs = 400;
const evmAddress = /^0x[0-9a-fA-F]{40}$/;
const solanaAddress = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

interface Parts {
  kind: Kind;
  words: FieldWords;
  fields: Fields;
  onChange(fields: Fields): void;
}

/** Which contract: found by name, link or address, and shown as its chain describes it. */
export function ContractField({ kind, words, fields, onChange }: Parts) {
  const address = textOf(fields.contractAddress);
  const [text, setText] = useState(address);
  const [isSearching, setIsSearching] = useState(address === '');
  const chainId = chainIdOf(kind, fields);
  useEffect(() => {
    // An undo elsewhere changes the contract; a name that is being typed has none yet.
    setText((typed) => (address !== '' ? address : isWhole(kind, typed) && !kind.hasToken ? '' : typed));
  }, [address, kind]);
  if (!isSearching && address !== '')
    return (
      <ChosenContract
        kind={kind}
        fields={fields}
        address={address}
        onChange={() => {
          setText('');
          setIsSearching(true);
        }}
      />
    );
  const choose = (token: FoundToken) => {
    onChange(kind.hasToken ? asToken(fields, token) : asContract(kind, fields, token));
    setIsSearching(false);
  };
  const type = (typed: string) => {
    setText(typed);
    // Contracts that are no tokens are found by nothing but their address.
    if (kind.hasToken) return;
    const { contractAddress: _, ...others } = fields;
    onChange(isWhole(kind, typed) ? { ...others, contractAddress: typed.trim() } : others);
  };
  const chooseChain = kind.hasToken && evmAddress.test(text.trim()) && (
    <ChainField
      value={fields.chainId}
      onChange={(next) => {
        onChange({ ...fields, chainId: next, contractAddress: text.trim() });
        setIsSearching(false);
      }}
    />
  );
  return (
    <>
      <ContractSearch
        kind={kind}
        chainId={chainId}
        words={words}
        text={text}
        whenNone={chooseChain}
        onType={type}
        onChoose={choose}
      />
      {!kind.hasToken && address !== '' && <ContractFacts kind={kind} fields={fields} address={address} />}
    </>
  );
}

/** A contract of a chain whose contracts are not searched: typed as its chain writes it, and then described. */
export function PlainContractField({ kind, fields }: Pick<Parts, 'kind' | 'fields'>) {
  const address = textOf(fields.contractAddress);
  return address === '' ? null : <ContractFacts kind={kind} fields={fields} address={address} />;
}

/** Whether its contracts are found by name. */
export function isSearched(kind: Kind): boolean {
  return kind.hasToken === true || kind.name === 'SOLANA_FT' || isEvm(kind);
}

/** Whether this is an address, not a name or the beginning of one. */
function isWhole(kind: Kind, typed: string): boolean {
  return (isEvm(kind) ? evmAddress : solanaAddress).test(typed.trim());
}

function isEvm({ group, chainId }: Kind): boolean {
  return group === 'evm' || chainId !== undefined;
}

function chainIdOf(kind: Kind, fields: Fields): number | undefined {
  if (kind.chainId !== undefined) return kind.chainId;
  const chainId = Number(fields.chainId);
  return Number.isSafeInteger(chainId) && chainId > 0 ? chainId : undefined;
}

/** The token decides what kind of condition it is. */
function asToken(fields: Fields, found: FoundToken): Fields {
  const { type, chainId, contractAddress, collectionName, eventId, tokenId } = found;
  const { asset: _, contractAddress: __, chainId: ___, ...kept } = fields;
  return {
    ...kept,
    type,
    ...(chainId !== undefined && { chainId }),
    ...(contractAddress !== undefined && { contractAddress }),
    ...(collectionName !== undefined && { collectionName }),
    ...(eventId !== undefined && { eventId }),
    ...(tokenId !== undefined && { tokenId }),
  };
}

function asContract(kind: Kind, fields: Fields, { chainId, contractAddress }: FoundToken): Fields {
  const hasChain = kind.fields.includes('chainId') && chainId !== undefined;
  return { ...fields, ...(hasChain && { chainId }), ...(contractAddress !== undefined && { contractAddress }) };
}

type Facts = Answer<'GET /latchkey/communities/{communityId}/contract'>;

/** What is known of the contract that a condition names, asked as soon as it can be. */
function useFacts(kind: Kind, fields: Fields, address: string) {
  const { communityId } = useBuilding();
  const chainId = chainIdOf(kind, fields);
  const needsChain = (kind.hasToken === true || kind.fields.includes('chainId')) && kind.chainId === undefined;
  const tokenId = textOf(fields.tokenId);
  const [wanted] = useDebouncedValue(address, pauseMs);
  return useOperation(
    'GET /latchkey/communities/{communityId}/contract',
    {
      communityId,
      type: kind.name,
      contractAddress: wanted,
      ...(chainId !== undefined && { chainId }),
      ...(tokenId !== '' && !/^https?:/i.test(tokenId) && { tokenId }),
    },
    { enabled: wanted !== '' && (!needsChain || chainId !== undefined) },
  );
}

function ChosenContract({
  kind,
  fields,
  address,
  onChange,
}: Pick<Parts, 'kind' | 'fields'> & { address: string; onChange(): void }) {
  const { communityId } = useBuilding();
  const facts = useFacts(kind, fields, address);
  const chainId = chainIdOf(kind, fields) ?? 0;
  const isCollection = facts.data?.standard === 'ERC721' || facts.data?.standard === 'ERC1155';
  const picture = useOperation(
    'GET /latchkey/communities/{communityId}/token-picture',
    { communityId, chainId, contractAddress: address },
    { enabled: evmAddress.test(address) && chainId > 0 && isCollection },
  );
  const { name, symbol, chainName, standard } = facts.data ?? {};
  const title = name ?? symbol ?? address;
  const note = chainName === undefined ? standard : sayPlace(standard, chainName);
  return (
    <div className={styles.search}>
      <div className={styles.token}>
        <Picture source={picture.data?.picture} name={title.replace(/^0x/, '')} />
        <div className={styles.tokenWords}>
          <strong title={title}>{symbol !== undefined && symbol !== title ? `${title} (${symbol})` : title}</strong>
          <span title={address}>{[note, title === address ? '' : address].filter(Boolean).join(' · ')}</span>
        </div>
        <Button size="compact-sm" variant="default" onClick={onChange}>
          {t(kind.hasToken ? 'contract.changeToken' : 'contract.change')}
        </Button>
      </div>
      <FactLines facts={facts.data} isLoading={facts.isLoading} />
      <Failure error={facts.error} onRetry={() => void facts.refetch()} />
    </div>
  );
}

function ContractFacts({ kind, fields, address }: Pick<Parts, 'kind' | 'fields'> & { address: string }) {
  const facts = useFacts(kind, fields, address);
  const { name, symbol, chainName, standard, problems = [] } = facts.data ?? {};
  const place =
    standard !== undefined && chainName !== undefined
      ? sayPlace(standard, chainName)
      : chainName !== undefined && problems.length === 0 && t('contract.contractOn', { chain: chainName });
  const named = [name ?? symbol, place].filter(Boolean).join(' · ');
  return (
    <div className={styles.facts}>
      {named !== '' && <Text size="sm">{named}</Text>}
      <FactLines facts={facts.data} isLoading={facts.isLoading} />
      <Failure error={facts.error} onRetry={() => void facts.refetch()} />
    </div>
  );
}

function sayPlace(standard: string | undefined, chain: string): string {
  return standard === undefined ? t('contract.on', { chain }) : t('contract.standardOn', { standard, chain });
}

function FactLines({ facts, isLoading }: { facts: Facts | undefined; isLoading: boolean }) {
  if (isLoading)
    return (
      <Text size="sm" c="dimmed">
        {t('contract.reading')}
      </Text>
    );
  if (facts === undefined) return null;
  const { holders, checkedMembers = 0, problems } = facts;
  return (
    <>
      {holders !== undefined && (
        <Text size="sm" c="dimmed">
          {t('contract.holders', { holders, members: checkedMembers })}
        </Text>
      )}
      {problems.map(({ message, action }) => (
        <Text key={message} size="sm" c="var(--bad)" role="alert">
          {action === undefined ? message : `${message} ${action}`}
        </Text>
      ))}
    </>
  );
}
