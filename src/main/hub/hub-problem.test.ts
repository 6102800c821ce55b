import { describe, expect, it } from 'vitest';
import { hubFolderProblem, notStartedProblem } from './hub-problem.ts';

const at = { host: '0.0.0.0', port: 7_411 };

describe('a hub that cannot be started', () => {
  it.each(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENETDOWN', 'ESOMETHINGNEW', ''])(
    'says %j to a person, or leaves no way out',
    (code) => {
      const { message, wayOut } = notStartedProblem(code, at);
      expect(`${message} ${wayOut}`).not.toMatch(/\bE[A-Z]{3,}\b|[()]/u);
      expect(wayOut).not.toBe('');
      const folder = hubFolderProblem('/srv/hub', code);
      expect(`${folder.message} ${folder.wayOut}`).not.toMatch(/\bE[A-Z]{3,}\b|[()]/u);
    },
  );

  it('sends a person to another port that is kept for the system as well', () => {
    expect(notStartedProblem('EACCES', { ...at, port: 443 }).wayOut).toBe('Choose a port of 1024 or above.');
    expect(notStartedProblem('EACCES', at).wayOut).toContain('allow it there');
  });
});
