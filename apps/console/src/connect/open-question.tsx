import { Confirm } from '../parts/confirm.tsx';
import type { Question } from './use-connecting.ts';

interface OpenQuestionProps {
  question: Question;
  onMove(taken: Extract<Question, { kind: 'taken' }>): void;
  onChoose(state: string, proxy: string): void;
  onLeave(): void;
}

/** What only the person can decide before a wallet is linked. */
export function OpenQuestion({ question, onMove, onChoose, onLeave }: OpenQuestionProps) {
  if (question.kind === 'taken') {
    return (
      <Confirm
        title="Move this wallet to this account?"
        yes="Move it here"
        onYes={() => onMove(question)}
        onNo={onLeave}
      >
        <p>
          <code className="address">{question.address}</code> is linked to another account that shares a community with
          this one. You just proved that it is yours, so you can move it here. The other account loses the roles that
          depend on it.
        </p>
      </Confirm>
    );
  }
  return (
    <div className="question">
      <h3>Which of these do you want to link?</h3>
      <ul className="choices">
        {question.proxies.map((proxy) => (
          <li key={proxy}>
            <button type="button" className="choice" onClick={() => onChoose(question.state, proxy)}>
              <code className="address">{proxy}</code>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="quiet" onClick={onLeave}>
        None of them
      </button>
    </div>
  );
}
