import { useEffect } from 'react';
import { useQuery } from '../state/use-query.ts';

const SAMPLE = 'Fencepost 0123456789 Email “Weekly numbers” to 3 people';

const MORE_CONTRAST = '(prefers-contrast: more)';

/** Follows the system, or what the settings pin. High contrast is one list of colours, whoever asks for it. */
export function useTheme(): void {
  const settings = useQuery('settings.get', {}).value;
  const theme = settings?.theme ?? 'system';
  const contrast = settings?.contrast ?? 'system';
  useEffect(() => {
    const system = window.matchMedia(MORE_CONTRAST);
    const follow = (): void => {
      const root = document.documentElement;
      if (contrast === 'high' || system.matches) root.dataset.contrast = 'high';
      else delete root.dataset.contrast;
    };
    follow();
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [contrast]);
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
  }, [theme]);
}

/** Uses the bundled Inter where the system has no interface font of its own (a bare Linux). */
export function chooseFont(): void {
  if (!navigator.userAgent.includes('Linux')) return;
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return;
  const widthIn = (family: string) => {
    context.font = `13px ${family}`;
    return context.measureText(SAMPLE).width;
  };
  // Where system-ui is only another name for the fallback font, nobody chose an interface font.
  const hasInterfaceFont =
    widthIn('system-ui') !== widthIn('sans-serif') && widthIn('system-ui') !== widthIn('"DejaVu Sans"');
  if (!hasInterfaceFont) document.documentElement.dataset.font = 'inter';
}
