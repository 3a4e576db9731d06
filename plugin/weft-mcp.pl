# weft's MCP server where a resident runs: weft-mcp.pl FOLDER PROGRAM COMMAND… The command is NODE PROGRAM [--home FOLDER]
# [--project FOLDER] mcp, or has `weft` in place of NODE PROGRAM. The resident answers; this process passes the lines on, in a tenth
# of Node's memory and time. If there is no resident, or it dies or hangs, becomes the command, with the lines that have no
# answer. src/agent/resident/ has the other end.
my ($here, $program, @command) = @ARGV;
my $beat_seconds = 0.5;
my $max_silent_beats = 4;
# A signal may come just before it would end the wait.
my $look_seconds = 2;
my $piece_bytes = 1 << 18;
# Node refuses a longer line, and keeps only its ends.
my $max_line_bytes = 64 << 20;
# EINTR and EAGAIN. Their names are in a module.
my ($interrupted, $not_yet) = (4, $^O eq "linux" ? 11 : 35);
require(($0 =~ m{^(.*/)} ? $1 : "./") . "weft-socket.pl");

binmode STDIN;
binmode STDOUT;
$SIG{PIPE} = "IGNORE";

my @words = @command[ ($command[1] eq $program ? 2 : 1) .. $#command ];
my %option = map { $words[$_] => $words[ $_ + 1 ] } grep { $words[$_] =~ /^--/ } 0 .. $#words - 1;
# Claude Code may start its servers in another folder.
my $folder = $option{"--project"} || ($ENV{CLAUDE_CODE_SESSION_ID} && $ENV{CLAUDE_PROJECT_DIR}) || $here;
my ($name, $home) = (socket_name($folder), data_home(@words));
my $stream = $folder =~ m{^/} && ($home || "") =~ m{^/} ? connect_resident($name, $home) : undef;
take_over() unless $stream;

# The lines that have no answer, by their number.
my (%open, $lines);
my ($unread, $answers, $seen) = ("", "", 0);
my ($is_served, $has_input, $is_stopped, $silent_beats) = (0, 1, 0, 0);
# Claude Code stops its servers with SIGINT.
$SIG{$_} = sub { $is_stopped = 1 } for "INT", "TERM", "HUP";

my $request = request_of("$$\0$folder", $program, @words);
send_bytes("GET /relay HTTP/1.1\r\nHost: weft\r\nConnection: Upgrade\r\nUpgrade: weft-relay\r\n\r\n"
	  . length($request)
	  . "\n$request");
while (1) {
	end_input() if $is_stopped && $is_served && $has_input;
	my $wanted = "";
	vec($wanted, fileno $stream, 1) = 1;
	vec($wanted, fileno STDIN, 1) = 1 if $is_served && $has_input;
	my $waits = !$is_served || !$has_input || %open;
	my $count = select(my $ready = $wanted, undef, undef, $waits ? $beat_seconds : $look_seconds);
	next if $count < 0;
	if ($count == 0) {
		next if !$waits || ++$silent_beats < $max_silent_beats;
		mark_hung($name, $home);
		take_over();
	}
	read_answers() if vec($ready, fileno $stream, 1);
	read_input() if $has_input && vec($ready, fileno STDIN, 1);
}

sub read_input {
	my $from = length $unread;
	my $got = sysread(STDIN, $unread, $piece_bytes, $from);
	if (!$got) {
		pass_line("$unread\n") if $unread ne "";
		$unread = "";
		return end_input();
	}
	while ((my $end = index $unread, "\n", $from) >= 0) {
		pass_line(substr $unread, 0, $end + 1, "");
		$from = 0;
	}
	take_over() if length $unread > $max_line_bytes;
}

# The resident counts the lines too.
sub pass_line {
	my ($line) = @_;
	$open{ ++$lines } = $line;
	send_bytes($line);
}

# The resident then records the rest of the session, and says when it has.
sub end_input {
	$has_input = 0;
	shutdown($stream, 1);
}

sub read_answers {
	$silent_beats = 0;
	sysread($stream, $answers, $piece_bytes, length $answers) or take_over();
	while ((my $end = index $answers, "\n", $seen) >= 0) {
		my $line = substr $answers, 0, $end + 1, "";
		$seen = 0;
		exit 0 if $line eq "end\n";
		# Empty lines say that the resident works.
		next unless $line =~ s/^(\d+)(?: |(?=\n))//;
		if ($1 == 0) { $is_served = 1 }
		else { delete $open{$1} }
		write_all(*STDOUT, $line) or $is_stopped = 1 if $line ne "\n";
	}
	$seen = length $answers;
}

sub send_bytes {
	write_all($stream, $_[0]) or take_over();
}

sub write_all {
	my ($to, $text) = @_;
	for (my $sent = 0 ; $sent < length $text ;) {
		my $wrote = syswrite($to, $text, $piece_bytes, $sent);
		next if !defined $wrote && $! == $interrupted;
		# The agent's end may be one that does not wait.
		if (!defined $wrote && $! == $not_yet) {
			vec(my $full = "", fileno $to, 1) = 1;
			select(undef, $full, undef, undef);
			next;
		}
		return 0 unless defined $wrote;
		$sent += $wrote;
	}
	return 1;
}

# Node reads first what has no answer, then the rest of standard input.
sub take_over {
	my $first = join "", (map { $open{$_} } sort { $a <=> $b } keys %open), $unread;
	$SIG{$_} = "DEFAULT" for "INT", "TERM", "HUP", "PIPE";
	if ($is_stopped) { open(STDIN, "<", "/dev/null") }
	delete $ENV{WEFT_FIRST_INPUT};
	my $pipe = $first eq "" ? undef : pipe_with($first);
	$ENV{WEFT_FIRST_INPUT} = fileno $pipe if $pipe;
	exec { $command[0] } @command;
	exit 1;
}

# Another process writes: a pipe may hold less than this, and a temporary file needs room on a disk. Its parent ends at once, so
# Node gets no child that it does not know.
sub pipe_with {
	my ($text) = @_;
	# Not closed by exec.
	$^F = 255;
	pipe(my $from, my $to) or return undef;
	my $child = fork;
	return undef unless defined $child;
	if ($child == 0) {
		close $from;
		write_all($to, $text) unless fork;
		exit 0;
	}
	close $to;
	waitpid $child, 0;
	return $from;
}
