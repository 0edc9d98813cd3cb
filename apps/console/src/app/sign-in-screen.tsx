import { useContext } from 'react';
import mark from '../mark.svg';
import { PageContext } from './page-context.ts';
import styles from './sign-in.module.css';
import { SignIn } from './sign-in.tsx';

/** The first page of the console, for whoever is not signed in. */
export function SignInScreen() {
  const { server } = useContext(PageContext);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <img src={mark} alt="" width="40" height="40" />
        <h1>Sign in to {server}</h1>
        <p>See your roles and why you have them, run your communities, build on the API.</p>
        <SignIn />
      </div>
      <p className={styles.fine}>
        Latchkey never asks for a recovery phrase, a private key or a payment. Anyone who does is trying to steal from
        you.
      </p>
    </main>
  );
}
