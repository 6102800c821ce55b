import { expect, it } from 'vitest';
import { autostartEntry, desktopEntry } from './desktop-entry.ts';

it('starts another program than this one, where a folder has an odd name', () => {
  const entry = desktopEntry(['/opt/My $Apps/100% "new"/electron', '/srv/fence`post\\'], 'fencepost');
  expect(entry).toContain(
    String.raw`Exec="/opt/My \\$Apps/100%% \\"new\\"/electron" "/srv/fence` + '\\\\`post' + String.raw`\\\\" %u`,
  );
  expect(entry).toContain('MimeType=x-scheme-handler/fencepost;\n');
});

it('starts at sign-in with a link that nobody gave', () => {
  expect(autostartEntry(['/opt/my app/electron', '--background'])).toContain(
    'Exec="/opt/my app/electron" "--background"\n',
  );
});
