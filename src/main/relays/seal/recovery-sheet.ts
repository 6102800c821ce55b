import { shortSpaceId } from './space-secret.ts';

/** What stands on a recovery sheet. */
export interface RecoverySheet {
  readonly words: readonly string[];
  readonly spaceId: string;
  /** The date as the person reads it, for example “30 November 2026”. */
  readonly madeOn: string;
}

const STYLE = `
@page { size: A4; margin: 20mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 170mm; color: #000; background: #fff; font: 12pt/1.45 Georgia, 'Times New Roman', serif; }
h1 { margin: 0 0 2mm; font-size: 22pt; }
h2 { margin: 8mm 0 2mm; font-size: 14pt; }
p, li { margin: 0 0 2mm; }
.facts { margin: 0 0 6mm; }
.words { columns: 3; column-gap: 8mm; margin: 0; padding: 5mm; border: 0.5mm solid #000; list-style: none; }
.words li { margin: 0 0 2.5mm; break-inside: avoid; font: 13pt/1.4 'Courier New', Courier, monospace; }
.words b { display: inline-block; width: 9mm; font-weight: normal; }
.line { display: inline-block; width: 75mm; border-bottom: 0.3mm solid #000; }
`;

/**
 * The sheet to print: one page of A4, black on white, and nothing that is fetched or run. The page holds the secret itself, so
 * it belongs on paper and in no file that stays.
 */
export function recoverySheetHtml({ words, spaceId, madeOn }: RecoverySheet): string {
  const items = words.map((word, index) => `<li><b>${index + 1}.</b> ${escaped(word)}</li>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Fencepost recovery sheet</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Fencepost recovery sheet</h1>
<p class="facts">For the devices that show <strong>${escaped(shortSpaceId(spaceId))}</strong> as their common name.
Made on ${escaped(madeOn)}.</p>
<ol class="words">
${items}
</ol>
<h2>What these words are for</h2>
<p>Your devices encrypt what they share. If all of them are lost, these ${words.length} words open it again on a new device.
Nobody else keeps a copy, and nobody can make you a new one.</p>
<h2>How to keep them</h2>
<ul>
<li>Keep this sheet where you keep your passport. Whoever holds it can read what your agents did and what they were told.</li>
<li>Do not photograph it, mail it or store it on a computer. Delete the file if you saved one to print it.</li>
<li>It stays valid when you add devices or let devices go.</li>
</ul>
<h2>How to use them</h2>
<p>Install Fencepost on a new device and say that you have a recovery sheet. Type the words in the order of their numbers.
Small or capital letters make no difference. Compare the common name above with the one on the screen.</p>
<p>Where the other copy of this sheet is: <span class="line"></span></p>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
}
