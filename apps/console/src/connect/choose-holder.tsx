import type { Holder } from './connect-wallet.ts';

const kinds = [
  { kind: 'wallet', words: 'The wallet itself' },
  { kind: 'safe', words: 'A Safe that it owns' },
  { kind: 'dsproxy', words: 'Its DSProxy' },
] as const;

/** For those whose tokens lie in a contract that their wallet speaks for. */
export function ChooseHolder({ holder, onChoose }: { holder: Holder; onChoose(holder: Holder): void }) {
  return (
    <details>
      <summary>My tokens are in a Safe or a DSProxy</summary>
      <fieldset>
        <legend>What to link when an Ethereum wallet signs</legend>
        {kinds.map(({ kind, words }) => (
          <label key={kind} className="radio">
            <input
              type="radio"
              name="holder"
              checked={holder.kind === kind}
              onChange={() => onChoose(kind === 'safe' ? { kind, address: '' } : { kind })}
            />
            {words}
          </label>
        ))}
      </fieldset>
      {holder.kind === 'safe' && (
        <label className="field">
          Address of the Safe
          <input
            value={holder.address}
            placeholder="0x…"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChoose({ kind: 'safe', address: target.value })}
          />
        </label>
      )}
      <p className="hint">The Safe or DSProxy must be on the network that your wallet is set to.</p>
    </details>
  );
}
