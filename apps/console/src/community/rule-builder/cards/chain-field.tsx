import { Select } from '@mantine/core';
import { chainName } from '../../../parts/chain-name.ts';
import { useOperation } from '../../../shared/api/index.ts';
import { t } from '../messages/index.ts';

/** The EVM chains that this server reads. */
export function ChainField({
  value,
  className,
  onChange,
}: {
  value: unknown;
  className?: string | undefined;
  onChange(chainId: number): void;
}) {
  const chains = useOperation('GET /evm/network-configs', {});
  const data = (chains.data ?? [])
    .filter(({ chainId, hidden }) => hidden !== true || String(chainId) === String(value))
    .map(({ chainId, description, names = [] }) => ({
      value: String(chainId),
      // A chain that only this server knows has a number instead of a name.
      label: names.includes(String(chainId)) || description === undefined ? chainName(`evm:${chainId}`) : description,
    }));
  return (
    <Select
      className={className}
      label={t('chain.label')}
      data={data}
      value={value === undefined ? null : String(value)}
      placeholder={t(chains.isLoading ? 'chain.loading' : 'chain.placeholder')}
      error={chains.isError && t('chain.failed')}
      searchable
      allowDeselect={false}
      onChange={(chainId) => chainId !== null && onChange(Number(chainId))}
    />
  );
}
