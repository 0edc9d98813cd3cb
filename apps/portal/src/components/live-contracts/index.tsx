import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { useState } from 'react';
import { loadSettings } from '../../settings.ts';
import { Button } from '../button/index.tsx';
import type { GovernanceContracts, Reading } from './read-contracts.ts';

type State =
  | { kind: 'ready' }
  | { kind: 'busy' }
  | { kind: 'open'; reason: string }
  | { kind: 'read'; node: string; reading: Reading };

/** The current values of the configured contracts. Nothing is requested until the reader asks for it. */
export function LiveContracts() {
  const { siteConfig } = useDocusaurusContext();
  const contracts = siteConfig.customFields?.governance as GovernanceContracts | undefined;
  const [state, setState] = useState<State>({ kind: 'ready' });
  if (contracts === undefined)
    return <p>Live reading: not configured. Without addresses of contracts there is nothing to read.</p>;
  const read = () => {
    setState({ kind: 'busy' });
    ask(siteConfig.baseUrl, contracts).then(setState, (error: unknown) =>
      setState({ kind: 'open', reason: error instanceof Error ? error.message : String(error) }),
    );
  };
  return (
    <>
      <p>
        <Button disabled={state.kind === 'busy'} onClick={read}>
          Read the chain now
        </Button>
      </p>
      <div aria-live="polite">
        <Answer state={state} />
      </div>
    </>
  );
}

async function ask(baseUrl: string, contracts: GovernanceContracts): Promise<State> {
  const { apiUrl } = await loadSettings(baseUrl);
  if (apiUrl === undefined)
    return { kind: 'open', reason: 'No server is connected to this copy of the documentation.' };
  const { findNode, readContracts } = await import('./read-contracts.ts');
  const node = await findNode(apiUrl, contracts.chainId);
  if (node === undefined)
    return { kind: 'open', reason: `The server names no public node of the chain ${contracts.chainId}.` };
  return { kind: 'read', node, reading: await readContracts(node, contracts) };
}

function Answer({ state }: { state: State }) {
  switch (state.kind) {
    case 'ready':
      return null;
    case 'busy':
      return <p>Asking …</p>;
    case 'open':
      return <p>Nothing was read. {state.reason}</p>;
    case 'read':
      return (
        <>
          <p>
            At block {state.reading.block}, by <code>{new URL(state.node).host}</code>:
          </p>
          <table>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {state.reading.rows.map(({ what, value }) => (
                <tr key={what}>
                  <td>{what}</td>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      );
  }
}
