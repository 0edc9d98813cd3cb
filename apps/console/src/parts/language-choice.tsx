import { localeCookie, locales, localeTitles } from '@latchkey/kernel/messages';
import { t } from '../messages/index.ts';

const yearSeconds = 365 * 24 * 60 * 60;

/** Chooses the language of every page, and keeps the choice in this browser. */
export function LanguageChoice() {
  return (
    <label className="language">
      <span>{t('language.label')}</span>
      <select
        value={t.locale}
        onChange={({ target }) => {
          const secure = location.protocol === 'https:' ? '; secure' : '';
          // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some browsers
          document.cookie = `${localeCookie}=${target.value}; path=/; max-age=${yearSeconds}; samesite=lax${secure}`;
          location.reload();
        }}
      >
        {locales.map((locale) => (
          <option key={locale} value={locale} lang={locale}>
            {localeTitles[locale]}
          </option>
        ))}
      </select>
    </label>
  );
}
