/** Whether this is a phone or a tablet: a touch device with wallet apps besides the browser. */
export function isPhone(): boolean {
  return (
    /Android|iPhone|iPad|iPod/i.test(navigator.userAgent) || matchMedia('(pointer: coarse) and (hover: none)').matches
  );
}

const inAppBrowsers =
  /MetaMaskMobile|CoinbaseWallet|CoinbaseBrowser|Trust\/|TrustWallet|Phantom|Solflare|XVerse|OKApp|OKEx|Rainbow|Discord|Telegram|FBAN|FBAV|Instagram|Line\/|; wv\)/i;

/** Whether this is the browser inside another app. Passkeys do not work there, even if it claims support. */
export function isInAppBrowser(userAgent: string = navigator.userAgent): boolean {
  return inAppBrowsers.test(userAgent);
}
