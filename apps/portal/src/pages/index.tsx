import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import Heading from '@theme/Heading';
import Layout from '@theme/Layout';
import { CodeSample } from '../components/code-sample/index.tsx';
import { useFact } from '../home/facts.ts';
import { Flow } from '../home/flow.tsx';
import styles from '../home/home.module.css';
import { Live } from '../home/live.tsx';
import { quickStart } from '../home/quick-start.ts';

const personas = [
  {
    title: 'Developers',
    text: 'Register a client app, get API credentials, call the API, and submit mini-apps that run inside communities.',
    action: 'Start building',
    to: '/docs/intro',
  },
  {
    title: 'Members',
    text: 'Link a wallet to Discord, Telegram or Reddit with a signature, and get the roles that your tokens give you.',
    action: 'Verify your wallet',
    to: '/help-docs/wallets/verify-your-wallet',
  },
  {
    title: 'Community admins',
    text: 'Invite the bot, write rules about tokens, and rely on it: a failed read never removes a role.',
    action: 'Set up a community',
    to: '/help-docs/set-up-the-bot/before-adding-the-bot',
  },
  {
    title: 'Operators',
    text: 'Run Latchkey on your own machines: install it, configure platforms and chains, watch it, upgrade it.',
    action: 'Install Latchkey',
    to: '/operators/install',
  },
  {
    title: 'DAO participants',
    text: 'The community owns its data and decides what to share. Read how such a project can govern itself.',
    action: 'Read the governance model',
    to: '/dao/governance/gov-overview',
  },
];

export default function Home() {
  const { siteConfig } = useDocusaurusContext();
  return (
    <Layout description="Latchkey links wallets to Discord, Telegram and Reddit communities and grants roles by what those wallets own. Self-hosted and open source.">
      <main className="container">
        <header className={styles.hero}>
          <div>
            <Heading as="h1">Latchkey gives roles to those who hold the key</Heading>
            <p className={styles.promise}>
              It links wallets to Discord, Telegram and Reddit and grants roles by what those wallets own. Host it
              yourself, build on its API, and contribute mini-apps to its marketplace.
            </p>
            <div className={styles.actions}>
              <Link className={styles.primary} to="/docs/intro">
                Get started
              </Link>
              <Link className={styles.secondary} to="/docs/intro#see-it-in-two-minutes">
                See it in pictures
              </Link>
              <Link className={styles.secondary} to="/apis/">
                API reference
              </Link>
            </div>
            <Live />
          </div>
          <Flow />
        </header>
        <Facts />
        <section className={styles.section}>
          <Heading as="h2">Where do you want to start?</Heading>
          <div className={styles.personas}>
            {personas.map(({ title, text, action, to }) => (
              <div className={styles.persona} key={title}>
                <Heading as="h3">{title}</Heading>
                <p>{text}</p>
                <Link className={styles.secondary} to={to}>
                  {action}
                </Link>
              </div>
            ))}
          </div>
        </section>
        <section className={styles.section} aria-label={`Quick start of ${siteConfig.title}`}>
          <Heading as="h2">Running in three steps</Heading>
          <ol className={styles.start}>
            <li>
              <Heading as="h3">Run the server</Heading>
              <p>
                In a clone of the repository, with Node.js 20 or later. It brings its database and a sample community of
                fifty members; no account and no key needed.
              </p>
              <CodeSample language="bash" html={quickStart.run} />
              <p>You can run all tests with one command.</p>
              <CodeSample language="bash" html={quickStart.check} />
            </li>
            <li>
              <Heading as="h3">Create a first rule in the console</Heading>
              <p>
                The server prints links that sign you in. Open the one after “as the owner of the sample community”,
                choose <b>Rules</b>, press <b>New rule</b>, and pick a role and a token. You see who gains the role
                before you save:{' '}
                <Link to="/help-docs/command-center/create-a-tgr/how-to-create-a-tgr">How to create a rule</Link>.
              </p>
              <details>
                <summary>The same with curl</summary>
                <CodeSample language="bash" html={quickStart.rule.replaceAll('<', '&lt;')} />
              </details>
            </li>
            <li>
              <Heading as="h3">Invite the bot to your own community</Heading>
              <p>
                Make a bot at your chat platform, give Latchkey its id and its token, and{' '}
                <Link to="/help-docs/set-up-the-bot/add-the-bot">add it to your server</Link>.
              </p>
              <CodeSample language="bash" html={quickStart.bot} />
            </li>
          </ol>
        </section>
      </main>
    </Layout>
  );
}

function Facts() {
  const facts = [
    ['API operations', useFact('operation-count')],
    ['EVM chains by name', useFact('evm-chain-count')],
    ['other kinds of chain', String(useFact('other-chains').split(', ').length)],
    ['kinds of rule', useFact('rule-type-count')],
    ['licence', 'Apache 2.0'],
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
