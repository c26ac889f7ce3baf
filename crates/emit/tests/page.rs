//! The page in a real browser: it loads without errors, search and click work, and text can be read in
//! light and dark.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::process::Command;
use std::time::Duration;

use emit::page::{Call, Graph, Page, Property, State, Test, render};
use testkit::{process, root};

fn page() -> Page {
    let property = |kind: &str, notation: &str, sentence: &str| Property {
        kind: kind.to_owned(),
        template: "s7".to_owned(),
        notation: notation.to_owned(),
        sentence: sentence.to_owned(),
        satisfying: 117,
        violating: 3,
        note: String::new(),
    };
    let test = |name: &str, is_special: bool, satisfies: &[usize], violates: &[usize]| Test {
        name: name.to_owned(),
        is_special,
        is_common: !is_special,
        code: "IntStack stack = new IntStack();\nstack.pop();".to_owned(),
        note: "here isEmpty() is true".to_owned(),
        satisfies: satisfies.to_vec(),
        violates: violates.to_vec(),
        state: Some(usize::from(!is_special)),
    };
    let state = |depth: usize, is_special: bool| State {
        way: "new IntStack()".to_owned(),
        observed: "isEmpty() is true".to_owned(),
        depth,
        is_special,
    };
    Page {
        class: "subjects.IntStack".to_owned(),
        facts: vec!["66 calls".to_owned()],
        properties: vec![
            property("universal", "pop(push(S, i0_1).state).retval == i0_1", "pop returns it."),
            property("common", "pop(S).state != S", "Mostly, pop changes the state."),
        ],
        tests: vec![
            test("popThrows", true, &[], &[1]),
            test("popReturns", false, &[0, 1], &[]),
            test("pushPop", false, &[0], &[]),
        ],
        graph: Some(Graph {
            states: vec![state(0, true), state(1, false)],
            calls: vec![
                Call { from: 0, to: 1, label: "push(1)".to_owned(), is_special: false },
                Call { from: 1, to: 0, label: "pop()".to_owned(), is_special: true },
            ],
        }),
    }
}

/// Uses the page as a reader would and leaves what came of it in an attribute.
const READER: &str = r#"
<script>
window.errors = [];
addEventListener("error", (event) => window.errors.push(event.message));
</script>
"#;
const READING: &str = r#"
<script>
addEventListener("load", () => {
  const report = [];
  const visible = () => [...document.querySelectorAll(".item")].filter((item) => item.offsetHeight > 0)
    .map((item) => item.id).join(",");
  const click = (id) => document.getElementById(id)
    .dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const note = (what) => report.push(what + "=" + visible());
  note("start");
  const search = document.getElementById("search");
  search.value = "mostly";
  search.dispatchEvent(new Event("input"));
  note("search");
  click("all");
  note("all");
  click("p1");
  note("property");
  click("t2");
  note("test");
  click("s0");
  note("state");
  report.push("way=" + document.getElementById("state").textContent);
  click("all");
  const part = (value) => { const c = value / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  const light = (colour) => { const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
    return .2126 * part(r) + .7152 * part(g) + .0722 * part(b); };
  const contrast = () => {
    const back = light(getComputedStyle(document.body).backgroundColor);
    const ratios = [...document.querySelectorAll("h1, h2, .fact, .item *, #found")].map((one) => {
      const text = light(getComputedStyle(one).color);
      return (Math.max(text, back) + .05) / (Math.min(text, back) + .05);
    });
    return [back > .5 ? "light" : "dark", Math.min(...ratios) >= 4.5].join(" ");
  };
  const themes = [contrast()];
  click("theme");
  themes.push(contrast());
  report.push("themes=" + themes.sort().join(","));
  report.push("errors=" + window.errors.join("|"));
  const result = document.createElement("p");
  result.id = "report";
  result.textContent = report.join(";");
  document.body.append(result);
});
</script>
"#;

#[test]
fn the_page_can_be_searched_clicked_and_read_in_light_and_dark() {
    let text = render(&page());
    let text = text.replacen("<head>", &format!("<head>{READER}"), 1);
    let text = text.replacen("</body>", &format!("{READING}</body>"), 1);
    let folder = root::target().join("page-test");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("page.html");
    fs::write(&file, text).unwrap();
    let mut chromium = Command::new("chromium");
    chromium.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--virtual-time-budget=5000",
        "--dump-dom",
    ]);
    chromium.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    chromium.arg(format!("file://{}", file.display()));
    let finished = process::run(&mut chromium, "", Duration::from_secs(240)).unwrap();
    let dom = String::from_utf8_lossy(&finished.stdout);
    let report = dom.split("<p id=\"report\">").nth(1).and_then(|rest| rest.split('<').next());
    let report = report.unwrap_or_else(|| {
        panic!("no report ({}): {}", finished.end, String::from_utf8_lossy(&finished.stderr))
    });
    let report: Vec<&str> = report.split(';').collect();
    let wanted = [
        "start=p0,p1,t0,t1,t2",
        "search=p1",
        "all=p0,p1,t0,t1,t2",
        "property=p1,t0,t1",
        "test=p0,t2",
        "state=t0",
        "way=new IntStack(): isEmpty() is true",
        "themes=dark true,light true",
        "errors=",
    ];
    assert_eq!(report, wanted);
}
