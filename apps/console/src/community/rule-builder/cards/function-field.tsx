import { Button, NumberInput, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../../shared/api/index.ts';
import { Failure } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import {
  type ContractFunction,
  type FunctionInput,
  inputsOf,
  NotAnAbi,
  readFunctions,
  startArguments,
  theWallet,
} from '../contract-functions.ts';
import { readField, textOf, writeField } from '../fields.ts';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

interface Parts {
  fields: Fields;
  onChange(fields: Fields): void;
}

/** Which function of the contract is called, with what. Its functions come from Sourcify, or from an ABI that is pasted. */
export function FunctionField({ fields, onChange }: Parts) {
  const { communityId } = useBuilding();
  const [pasted, setPasted] = useState<string>();
  const [contractAddress, chainId] = [textOf(fields.contractAddress), Number(fields.chainId)];
  const isKnown = /^0x[0-9a-fA-F]{40}$/.test(contractAddress) && Number.isSafeInteger(chainId) && chainId > 0;
  const published = useOperation(
    'GET /latchkey/communities/{communityId}/contract-abi',
    { communityId, chainId, contractAddress },
    { enabled: isKnown },
  );
  const abi = pasted ?? published.data?.abi;
  const { functions, left, fault } = tryReading(abi);
  const signature = textOf(fields.functionName) || textOf(readField(fields, '_functionName'));
  const chosen = functions.find((one) => one.signature === signature);
  const choose = ({ signature: next, inputs, isYesNo }: ContractFunction) => {
    const { functionName: _, ...others } = fields;
    const named = writeField(writeField(others, '_functionName', next), '_args', startArguments(inputs));
    onChange(isYesNo ? { ...writeField(named, '_decimals', undefined), minToken: '1', maxToken: '1' } : named);
  };
  const inputs = chosen?.inputs ?? inputsOf(signature);
  return (
    <>
      <Select
        className={styles.wide}
        label={t('function.label')}
        placeholder={sayState(isKnown, published.isLoading, functions.length)}
        data={optionsOf(functions, signature)}
        value={signature === '' ? null : signature}
        disabled={functions.length === 0 && signature === ''}
        searchable
        allowDeselect={false}
        onChange={(value) => {
          const next = functions.find((one) => one.signature === value);
          if (next !== undefined) choose(next);
        }}
      />
      {left > 0 && (
        <Text size="sm" c="dimmed" className={styles.wide}>
          {t('function.notListed', { count: left })}
        </Text>
      )}
      {published.data?.note !== undefined && pasted === undefined && (
        <Text size="sm" c="dimmed" role="status" className={styles.wide}>
          {published.data.note}
        </Text>
      )}
      <Failure error={published.error} onRetry={() => void published.refetch()} />
      <PasteAbi value={pasted} fault={pasted === undefined ? undefined : fault} onChange={setPasted} />
      {inputs !== undefined && signature !== '' && <Arguments inputs={inputs} fields={fields} onChange={onChange} />}
      {signature !== '' && chosen?.isYesNo !== true && (
        <NumberInput
          label={t('function.decimals')}
          placeholder="0"
          min={0}
          max={77}
          allowDecimal={false}
          value={textOf(readField(fields, '_decimals'))}
          onChange={(value) => onChange(writeField(fields, '_decimals', value === '' ? undefined : Number(value)))}
        />
      )}
    </>
  );
}

function sayState(isKnown: boolean, isLoading: boolean, count: number): string {
  if (isLoading) return t('function.loading');
  if (count > 0) return t('function.pick', { count });
  return t(isKnown ? 'function.pasteFirst' : 'function.contractFirst');
}

/** The chosen function is offered even where no ABI lists it. */
function optionsOf(functions: readonly ContractFunction[], signature: string) {
  const listed = functions.map((one) => ({
    value: one.signature,
    label: `${one.name}(${one.inputs.map(({ name, type }) => (name === '' ? type : `${type} ${name}`)).join(', ')})`,
  }));
  const isListed = signature === '' || listed.some(({ value }) => value === signature);
  return isListed ? listed : [{ value: signature, label: signature }, ...listed];
}

function tryReading(abi: string | undefined): { functions: ContractFunction[]; left: number; fault?: string } {
  if (abi === undefined || abi.trim() === '') return { functions: [], left: 0 };
  try {
    const { functions, left } = readFunctions(abi);
    return functions.length > 0 ? { functions, left } : { functions, left, fault: t('function.noneFits') };
  } catch (error) {
    if (!(error instanceof NotAnAbi)) throw error;
    return { functions: [], left: 0, fault: error.message };
  }
}

/** Block explorers show the ABI of a contract to copy. It is not kept: the rule names the function alone. */
function PasteAbi({
  value,
  fault,
  onChange,
}: {
  value: string | undefined;
  fault: string | undefined;
  onChange(text: string | undefined): void;
}) {
  if (value === undefined)
    return (
      <div className={styles.wide}>
        <Button size="compact-sm" variant="subtle" onClick={() => onChange('')}>
          {t('function.pasteAbi')}
        </Button>
      </div>
    );
  return (
    <Textarea
      className={styles.wide}
      label={t('function.abi')}
      description={t('function.abiHint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={value}
      error={fault}
      rows={3}
      maxLength={2_000_000}
      spellCheck={false}
      classNames={{ input: styles.code ?? '' }}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function Arguments({ inputs, fields, onChange }: Parts & { inputs: readonly FunctionInput[] }) {
  const given = readField(fields, '_args');
  const args: readonly unknown[] = Array.isArray(given) ? given : startArguments(inputs);
  const put = (index: number, value: string) => {
    const next = inputs.map((_, at) => textOf(args[at]));
    onChange(writeField(fields, '_args', next.with(index, value)));
  };
  return inputs.map((input, index) => (
    <ArgumentField
      // biome-ignore lint/suspicious/noArrayIndexKey: arguments are what stands at their place.
      key={index}
      label={labelOf(input, index + 1)}
      input={input}
      value={textOf(args[index])}
      onChange={(value) => put(index, value)}
    />
  ));
}

function labelOf({ name, type: solidityType }: FunctionInput, position: number): string {
  const type = /^u?int/.test(solidityType) ? 'number' : solidityType;
  return name === '' ? t('function.argument', { type, position }) : t('function.namedArgument', { type, name });
}

function ArgumentField({
  label,
  input: { type },
  value,
  onChange,
}: {
  label: string;
  input: FunctionInput;
  value: string;
  onChange(value: string): void;
}) {
  const isWallet = value === theWallet;
  if (type === 'bool')
    return (
      <Select
        label={label}
        data={[
          { value: 'true', label: t('function.yes') },
          { value: 'false', label: t('function.no') },
        ]}
        value={value === 'false' ? 'false' : 'true'}
        allowDeselect={false}
        onChange={(next) => next !== null && onChange(next)}
      />
    );
  const field = (
    <TextInput
      {...(type === 'address' ? { 'aria-label': t('function.writtenOut', { argument: label }) } : { label })}
      placeholder={type === 'address' ? '0x…' : type}
      inputMode={/^u?int/.test(type) ? 'numeric' : 'text'}
      value={value}
      maxLength={256}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
  if (type !== 'address') return field;
  return (
    <div className={`${styles.wide} ${styles.search}`}>
      <Select
        label={label}
        data={[
          { value: 'wallet', label: t('function.wallet') },
          { value: 'other', label: t('function.otherAddress') },
        ]}
        value={isWallet ? 'wallet' : 'other'}
        allowDeselect={false}
        onChange={(next) => onChange(next === 'wallet' ? theWallet : '')}
      />
      {!isWallet && field}
    </div>
  );
}
