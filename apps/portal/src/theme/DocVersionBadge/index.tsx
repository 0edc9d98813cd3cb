import Link from '@docusaurus/Link';
import {
  useActiveDocContext,
  useDocsPreferredVersion,
  useDocsVersion,
  useVersions,
} from '@docusaurus/plugin-content-docs/client';
import styles from './version.module.css';

/** The version of a page, with links to the others. The choice is remembered. */
export default function DocVersionBadge() {
  const { pluginId, version } = useDocsVersion();
  const versions = useVersions(pluginId);
  const { alternateDocVersions } = useActiveDocContext(pluginId);
  const { savePreferredVersionName } = useDocsPreferredVersion(pluginId);
  if (versions.length < 2) return null;
  const address = (name: string, mainDocId: string) => {
    const found = versions.find((one) => one.name === name);
    return alternateDocVersions[name]?.path ?? found?.docs.find(({ id }) => id === mainDocId)?.path ?? '/';
  };
  return (
    <nav className={styles.versions} aria-label="Version of these pages">
      <span>Version</span>
      {versions.map(({ name, label, mainDocId }) => (
        <Link
          key={name}
          to={address(name, mainDocId)}
          className={styles.version}
          aria-current={name === version ? 'true' : undefined}
          onClick={() => savePreferredVersionName(name)}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
